package recorder

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// CatchUp ends the recording at a version not older than the call, proves that it holds every event up to there and none beyond, and says so
// in it. Afterwards nothing more is recorded. When the proof fails, the recording goes on and holds whatever was received; the error wraps the
// context's cause and names the kind, the version, and what is wrong with the watch.
//
// A list alone is no proof: what was made and deleted between the watch's last event and the list shows in neither. So a second watch follows
// each source from where the first one is known to be, until a bookmark of the API server vouches that nothing is missing; the first one must
// then deliver all that the second one did. That takes one to two seconds.
func (r *Recorder) CatchUp(ctx context.Context) error {
	horizon, err := r.setHorizon(ctx)
	if err != nil {
		return err
	}
	group, proving := errgroup.WithContext(ctx)
	for _, s := range r.streams {
		if s.Kind != history.KindEvent {
			group.Go(func() error { return r.catchUp(proving, s, horizon) })
		}
	}
	return r.endAt(group.Wait())
}

// setHorizon decides where the recording is to end. Every event on disk is before it, and those received from now on that are not are held back.
func (r *Recorder) setHorizon(ctx context.Context) (uint64, error) {
	var now uint64
	for _, s := range r.streams {
		if s.Kind == history.KindEvent {
			// Evidence only, and possibly in another etcd.
			continue
		}
		var err error
		if _, now, err = s.list(ctx); err != nil {
			return 0, fmt.Errorf("catch up: %w", err)
		}
		break
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return 0, fmt.Errorf("catch up: %w", ErrEnded)
	}
	r.horizon = max(now, r.newest)
	return r.horizon, nil
}

// endAt ends the recording at its horizon, or takes up again what was held back.
func (r *Recorder) endAt(unproven error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.held
	r.horizon, r.held = 0, nil
	if r.ended {
		return errors.Join(unproven, fmt.Errorf("catch up: %w", ErrEnded))
	}
	if unproven == nil && r.failure == nil {
		r.failure = r.writer.CaughtUp()
		r.ended = true
		r.wake()
		return r.failure
	}
	for _, entry := range held {
		// Its error stays in r.failure.
		_ = r.append(entry)
	}
	return errors.Join(unproven, r.failure)
}

// catchUp returns once the stream's watch has passed the horizon, bookmarked or not.
func (r *Recorder) catchUp(ctx context.Context, s *stream, horizon uint64) error {
	// A consistent list makes the API server's cache at least as new as the horizon, so that its bookmarks are.
	_, _, err := s.list(ctx)
	if err == nil {
		var last uint64
		if last, err = r.lastBefore(ctx, s, horizon); err == nil {
			err = r.Await(ctx, func(*history.Cluster) bool { return s.passed >= last })
		}
	}
	if err == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err = fmt.Errorf("catch up with %s from resourceVersion %d to %d: %w", s.name(), s.passed, horizon, err)
	if s.trouble != nil {
		err = fmt.Errorf("%w; its watch is down: %w", err, s.trouble)
	}
	return err
}

// lastBefore returns the version of the source's last event that is not beyond the horizon, or an older one if the watch has that already.
func (r *Recorder) lastBefore(ctx context.Context, s *stream, horizon uint64) (uint64, error) {
	backoff := resumption()
	for {
		from := r.position(s)
		if from >= horizon {
			return from, nil
		}
		last, err := s.readUpTo(ctx, from, horizon)
		if err == nil {
			return last, nil
		}
		if !pause(ctx, backoff.Step()) {
			return 0, fmt.Errorf("%w (%w)", context.Cause(ctx), err)
		}
	}
}

// bookmarkTimeout has the API server send a bookmark after one second: it does so two seconds before a watch's time is up.
const bookmarkTimeout int64 = 3

// readUpTo reads a watch of its own until everything up to the horizon has come, and returns the version of the last event.
func (s Source) readUpTo(ctx context.Context, from, horizon uint64) (last uint64, err error) {
	timeout := bookmarkTimeout
	watcher, err := s.watch(ctx, from, metav1.ListOptions{TimeoutSeconds: &timeout})
	if err != nil {
		return 0, err
	}
	defer watcher.Stop()
	for last = from; ; {
		event, open := watch.Event{}, false
		select {
		case <-ctx.Done():
		case event, open = <-watcher.ResultChan():
		}
		if !open {
			return 0, fmt.Errorf("no bookmark came: %w", errWatchEnded)
		}
		if event.Type == watch.Error {
			return 0, apierrors.FromObject(event.Object)
		}
		object, err := s.versioned(event.Object)
		switch {
		case err != nil:
			return 0, err
		case object.version >= horizon && event.Type == watch.Bookmark, object.version > horizon:
			return last, nil
		case event.Type != watch.Bookmark:
			last = max(last, object.version)
		}
	}
}
