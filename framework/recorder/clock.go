package recorder

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/utils/clock"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
)

// ErrClockSetBack is wrapped by the error of a recording during which the machine's clock was set back: what is in it cannot be put in time.
var ErrClockSetBack = errors.New("this machine's clock was set back during the recording")

// stamp says when the entry was received. The caller holds the lock, so that the times on disk never go back.
func (r *Recorder) stamp(entry *history.Entry) {
	entry.Received = r.elapsed()
	entry.Time = r.start.Add(entry.Received)
}

// elapsed is how long the recording has taken, by the wall clock: the timestamps in objects are from it, and a controller that waits for minReadySeconds compares
// them with it. The monotonic clock tells neither that it was set nor that the machine was suspended; a pulse tells of the time that nobody had then. What is
// returned never decreases: a clock that was set back by more than standstills are is a failure of the recording. The caller holds the lock.
func (r *Recorder) elapsed() time.Duration {
	now := wall(r.clock).Sub(r.began)
	if back := r.latest - now; back > pulse.Silence && r.failure == nil {
		r.failure = fmt.Errorf("%w, by %v", ErrClockSetBack, back.Round(time.Second))
	}
	r.latest = max(r.latest, now)
	return r.latest
}

// now is the time by the cluster's clock. The caller holds the lock.
func (r *Recorder) now() time.Time { return r.start.Add(r.elapsed()) }

// sinceBegan is how long the recording has taken.
func (r *Recorder) sinceBegan() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.elapsed()
}

// wall is the time by the wall clock alone.
func wall(clock clock.PassiveClock) time.Time { return clock.Now().Round(0) }
