package passive

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// rotate begins another recording if this one is long enough. The new one is begun before the old one ends, so that nothing is between them. While no rollout
// goes on the judgement begins again with it, and forgets what was before; in the middle of one it goes on.
func (w *watcher) rotate(ctx context.Context) error {
	info, err := os.Stat(w.current.path)
	if err != nil {
		return fmt.Errorf("look at the recording: %w", err)
	}
	resting := w.bench.tracker.resting() && w.current.feed.length() == 0
	if info.Size() < w.options.Size || !resting && info.Size() < 2*w.options.Size {
		return nil
	}
	next, err := w.record(ctx)
	if err != nil {
		w.options.Tell.Note(fmt.Sprintf("the recording grows: no other could be begun: %v", err))
		return nil
	}
	old, at := w.current, w.now()
	if err := old.recorder.CatchUp(ctx); err != nil {
		w.options.Tell.Note(fmt.Sprintf("the recording grows: it could not be ended: %v", err))
		return errors.Join(next.recorder.Close(), os.Remove(next.path))
	}
	// What has just happened is judged once it has settled.
	resting = resting && old.feed.length() == 0
	if resting {
		if err := w.judge(proof{version: old.recorder.Proven(), at: at}); err != nil {
			return errors.Join(err, next.recorder.Close())
		}
	}
	if err := old.recorder.Close(); err != nil {
		return errors.Join(err, next.recorder.Close())
	}
	w.current = next
	if resting {
		w.begin()
		return w.prune()
	}
	next.feed.follow(old.feed, old.recorder.Proven(), next.recorder.Start().Sub(old.recorder.Start()))
	w.recordings = append(w.recordings, next.path)
	return nil
}

// begin has the judgement begin with the current recording.
func (w *watcher) begin() {
	w.kept = append(w.kept, w.recordings...)
	w.recordings, w.proofs = []string{w.current.path}, nil
	w.bench = w.newBench()
}

// startOver begins again where events are missing: what happened then cannot be judged.
func (w *watcher) startOver(ctx context.Context, gap *history.Gap) error {
	missed := fmt.Sprintf("events of %s after resourceVersion %d, at %s: %s", gap.Kind, gap.After, gap.Time.UTC().Format("15:04:05"), gap.Reason)
	w.result.Missed = append(w.result.Missed, missed)
	w.options.Tell.Note("events are missing, so that the judgement begins again: " + missed)
	next, err := w.record(ctx)
	if err != nil {
		return err
	}
	old := w.current
	w.current = next
	if err := old.recorder.CatchUp(ctx); err != nil {
		w.options.Tell.Note(fmt.Sprintf("recording %s is not complete: %v", old.path, err))
	}
	if err := old.recorder.Close(); err != nil {
		return err
	}
	w.begin()
	return w.prune()
}

// prune removes the oldest recordings that nobody needs.
func (w *watcher) prune() error {
	var unneeded []string
	for _, path := range w.kept {
		if !w.spared[path] {
			unneeded = append(unneeded, path)
		}
	}
	if w.options.Keep == 0 || len(unneeded) <= w.options.Keep {
		return nil
	}
	for _, path := range unneeded[:len(unneeded)-w.options.Keep] {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove an old recording: %w", err)
		}
	}
	w.kept = w.kept[:0]
	w.kept = append(w.kept, unneeded[len(unneeded)-w.options.Keep:]...)
	return nil
}
