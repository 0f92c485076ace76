package recorder

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// proofWatch is how long a watch lasts, in seconds, that is to bring a bookmark: the API server sends one two seconds before a watch ends.
const proofWatch = int64(4)

// Prove proves that the recording holds every event up to a version, and goes on recording. It returns the version, and a time by the cluster's clock before
// which nothing happened that is behind it. Where the API server took longer than a second to answer, the recording has a standstill. When the proof fails,
// the error says what is wrong, and the recording goes on as well.
func (r *Recorder) Prove(ctx context.Context) (horizon uint64, at time.Time, err error) {
	at = r.start.Add(r.sinceBegan())
	for _, s := range r.streams {
		if s.Kind.EvidenceOnly() {
			continue
		}
		if horizon, err = s.current(ctx); err != nil {
			return 0, at, fmt.Errorf("prove the recording complete: %w", err)
		}
		break
	}
	group, proving := errgroup.WithContext(ctx)
	for _, s := range r.streams {
		if !s.Kind.EvidenceOnly() {
			group.Go(func() error { return r.pass(proving, s, horizon) })
		}
	}
	if err := group.Wait(); err != nil {
		return 0, at, fmt.Errorf("prove the recording complete up to resourceVersion %d: %w", horizon, err)
	}
	return horizon, at, nil
}

// pass returns once the stream has delivered everything up to the version, without a mark. A second watch from where the stream is, a short one, brings what
// there is, and a bookmark that says how far that goes. The list before it makes the API server bring its cache up to date.
func (r *Recorder) pass(ctx context.Context, s *stream, version uint64) error {
	seconds := proofWatch
	for r.position(s) < version {
		if _, err := s.current(ctx); err != nil {
			return err
		}
		watcher, err := s.watch(ctx, r.position(s), metav1.ListOptions{TimeoutSeconds: &seconds})
		if err != nil {
			return err
		}
		drained := make(chan error, 1)
		proving, stop := context.WithCancel(ctx)
		go func() {
			defer stop()
			_, broken := r.drain(proving, s, watcher)
			drained <- broken
		}()
		// That the watch ends first is no error: the next one brings what this one did not.
		_ = r.Await(proving, func(*history.Cluster) bool { return s.passed >= version })
		stop()
		if err := <-drained; err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s is at resourceVersion %d: %w", s.name(), r.position(s), context.Cause(ctx))
		}
		if r.isLost(s) {
			return fmt.Errorf("%s: events are missing", s.name())
		}
	}
	return nil
}

// Proven is the version up to which CatchUp has proven the recording complete; 0 before.
func (r *Recorder) Proven() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.proven
}

// Failure is what stopped the recording; nil if nothing did.
func (r *Recorder) Failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// Start is when the recording began, by the cluster's clock.
func (r *Recorder) Start() time.Time { return r.start }
