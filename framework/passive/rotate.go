package passive

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// rotate begins another recording if this one is long enough. The new one is begun before the old one ends, so that nothing is between them, and the judgement goes
// on.
func (w *watcher) rotate(ctx context.Context) error {
	info, err := os.Stat(w.current.path)
	if err != nil {
		return fmt.Errorf("look at the recording: %w", err)
	}
	if info.Size() < w.options.Size {
		return nil
	}
	next, err := w.record(ctx)
	if err != nil {
		w.options.Tell.Note(fmt.Sprintf("the recording grows: no other could be begun: %v", err))
		return nil
	}
	old := w.current
	if err := old.recorder.CatchUp(ctx); err != nil {
		w.options.Tell.Note(fmt.Sprintf("the recording grows: it could not be ended: %v", err))
		w.parts--
		return errors.Join(next.recorder.Close(), os.Remove(next.path))
	}
	if err := old.recorder.Close(); err != nil {
		return errors.Join(err, next.recorder.Close())
	}
	next.feed.follow(old.feed, old.recorder.Proven(), next.recorder.Start().Sub(old.recorder.Start()))
	w.current = next
	w.needed = append(w.needed, next.part)
	return nil
}

// startOver begins again where events are missing: what happened then cannot be judged, and what came before is. Rollouts under way are followed on.
func (w *watcher) startOver(ctx context.Context, gap *history.Gap) error {
	missed := fmt.Sprintf("events of %s after resourceVersion %d, at %s: %s", gap.Kind, gap.After, gap.Time.UTC().Format("15:04:05"), gap.Reason)
	w.result.Missed = append(w.result.Missed, missed)
	w.options.Tell.Note("events are missing, so that the judgement begins again: " + missed)
	next, err := w.record(ctx)
	if err != nil {
		return err
	}
	old := w.current
	if err := old.recorder.CatchUp(ctx); err != nil {
		w.options.Tell.Note(fmt.Sprintf("recording %s is not complete: %v", old.path, err))
	} else if err := w.judge(proof{version: gap.After, at: w.judged.at}); err != nil {
		return errors.Join(err, next.recorder.Close())
	}
	w.current = next
	if err := old.recorder.Close(); err != nil {
		return err
	}
	w.release(len(w.needed))
	w.needed, w.proofs = []part{next.part}, nil
	w.bench = newBench(next.header, next.first, w.tracker)
	return w.prune()
}

// release lets go of the first n recordings that were needed.
func (w *watcher) release(n int) {
	w.kept = append(w.kept, paths(w.needed[:n])...)
	w.needed = w.needed[n:]
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
