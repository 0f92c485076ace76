package recorder

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// CatchUp ends the recording at a version not older than the call, proves that it holds every event up to there and none beyond, and says so
// in it. Afterwards nothing more is recorded. When the proof fails, the recording goes on and holds whatever was received; the error wraps the
// context's cause and names the kind, the version, and what is wrong with the watch.
//
// A list alone is no proof: what was made and deleted between the watch's last event and the list shows in neither. So, once the end of the
// recording is decided, each source is marked: an event is made that means nothing to anybody, and its watch, which delivers in order, must
// bring it.
func (r *Recorder) CatchUp(ctx context.Context) error {
	horizon, err := r.setHorizon(ctx)
	if err != nil {
		return err
	}
	group, proving := errgroup.WithContext(ctx)
	for _, s := range r.streams {
		if !s.Kind.EvidenceOnly() {
			group.Go(func() error { return r.catchUp(proving, s, horizon) })
		}
	}
	return r.endAt(group.Wait())
}

// setHorizon decides where the recording is to end. Every event on disk is before it, and those received from now on that are not are held back.
func (r *Recorder) setHorizon(ctx context.Context) (uint64, error) {
	var now uint64
	for _, s := range r.streams {
		if s.Kind.EvidenceOnly() {
			// Evidence only, and possibly in another etcd.
			continue
		}
		var err error
		if now, err = s.current(ctx); err != nil {
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
	held, horizon := r.held, r.horizon
	r.horizon, r.held = 0, nil
	if r.ended {
		return errors.Join(unproven, fmt.Errorf("catch up: %w", ErrEnded))
	}
	if unproven == nil && r.failure == nil {
		r.failure = r.writer.CaughtUp()
		r.ended, r.proven = true, horizon
		r.wake()
		return r.failure
	}
	for _, entry := range held {
		// Its error stays in r.failure.
		_ = r.append(entry)
	}
	return errors.Join(unproven, r.failure)
}

func (r *Recorder) hasReceived(s *stream) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.received
}

// catchUp returns once the stream's watch has delivered everything up to the horizon.
func (r *Recorder) catchUp(ctx context.Context, s *stream, horizon uint64) error {
	if s.Mark == nil {
		return r.pass(ctx, s, horizon)
	}
	mark, err := s.Mark(ctx)
	if errors.Is(err, errNothingToMark) && !r.hasReceived(s) {
		// Nothing was ever in a namespace that does not exist; for nodes see Cluster.
		return nil
	}
	if err == nil {
		err = r.Await(ctx, func(*history.Cluster) bool { return s.passed >= mark })
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
