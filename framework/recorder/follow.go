package recorder

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// stream is a source under way. Its fields but the source belong to the Recorder's lock.
type stream struct {
	Source
	// passed is the version up to which everything has been received: of the list, the last event or the last bookmark.
	passed uint64
	// received is set with the first event.
	received bool
	// existing are the objects there are, by what was received; not kept for Event objects, which are never looked up.
	existing map[types.UID]history.Object
	// lost is set from a gap's beginning until the state after it is recorded.
	lost bool
	// trouble is why the watch is down; nil while it is up.
	trouble error
}

func newStream(source Source) *stream {
	return &stream{Source: source, existing: map[types.UID]history.Object{}}
}

// resumption is the pause before a watch is opened again: 20 ms, growing to 2.6 s while it brings nothing.
func resumption() wait.Backoff {
	return wait.Backoff{Duration: 20 * time.Millisecond, Factor: 2, Steps: 8, Jitter: 0.1}
}

// follow records the stream's events until the recording ends. A watch that ends is resumed where it was; where that cannot be, follow
// leaves a gap and goes on behind it.
//
// client-go's RetryWatcher would do for the former. But it keeps bookmarks to itself, without which a quiet watch cannot be resumed late, and it
// asks for ever when the very request is answered with 410 Gone.
func (r *Recorder) follow(ctx context.Context, s *stream, watcher watch.Interface) {
	backoff := resumption()
	for {
		before := r.position(s)
		trouble, broken := r.drain(ctx, s, watcher)
		if broken != nil {
			r.fail(broken)
			return
		}
		if r.position(s) > before {
			backoff = resumption()
		}
		for watcher = nil; watcher == nil; {
			r.setTrouble(s, trouble)
			if !pause(ctx, backoff.Step()) {
				return
			}
			watcher, trouble, broken = r.resume(ctx, s, trouble)
			if broken != nil {
				r.fail(broken)
				return
			}
		}
		r.setTrouble(s, nil)
	}
}

// drain records events until the watch ends, which is no surprise; broken is what ends the recording.
func (r *Recorder) drain(ctx context.Context, s *stream, watcher watch.Interface) (trouble, broken error) {
	defer watcher.Stop()
	for {
		var event watch.Event
		open := false
		select {
		case <-ctx.Done():
		case event, open = <-watcher.ResultChan():
		}
		if !open {
			return errWatchEnded, nil
		}
		switch event.Type {
		case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
			if err := r.receive(s, event.Type, event.Object); err != nil {
				return nil, err
			}
		case watch.Error:
			return apierrors.FromObject(event.Object), nil
		}
	}
}

// receive records one event.
func (r *Recorder) receive(s *stream, event watch.EventType, received runtime.Object) error {
	object, err := s.versioned(received)
	if err != nil {
		return fmt.Errorf("record %s: %w", s.name(), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if event == watch.Bookmark {
		s.passed = max(s.passed, object.version)
		r.wake()
		return nil
	}
	if object.version <= s.passed {
		// Another watch of the same source was first: see prove.
		return nil
	}
	s.trim(object.Object)
	return r.record(s, event, object)
}

// record writes one event down, or holds it back if it lies beyond the recording's end. The caller holds the lock.
func (r *Recorder) record(s *stream, event watch.EventType, object versioned) error {
	s.passed, s.received = max(s.passed, object.version), true
	before := s.existing[object.GetUID()]
	if !s.wants(before, object.Object) && (before == nil || event != watch.Deleted) {
		return r.failure
	}
	s.remember(event, object.Object)
	entry := history.Entry{ResourceVersion: object.version, Type: event, Kind: s.Kind, Object: object.Object}
	r.stamp(&entry)
	if r.ended {
		// Beyond what was proven, or closed: no business of the recording.
		return r.failure
	}
	if r.horizon > 0 && object.version > r.horizon && !s.Kind.EvidenceOnly() {
		r.held = append(r.held, entry)
		r.wake()
		return r.failure
	}
	return r.append(entry)
}

func (s *stream) remember(event watch.EventType, object history.Object) {
	switch {
	case s.Kind.EvidenceOnly():
	case event == watch.Deleted:
		delete(s.existing, object.GetUID())
	default:
		s.existing[object.GetUID()] = object
	}
}

func (r *Recorder) position(s *stream) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.passed
}

func (r *Recorder) setTrouble(s *stream, trouble error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.trouble = trouble
}

// pause reports whether the recording still goes on after it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
