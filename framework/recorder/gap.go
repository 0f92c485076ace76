package recorder

import (
	"context"
	"errors"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// errWatchEnded is the everyday end of a watch: the API server ends each after some time.
var errWatchEnded = errors.New("the watch ended")

// resume opens the watch again, behind a gap if the API server has forgotten what came after the last event. trouble says why it is still
// down, broken what ends the recording.
func (r *Recorder) resume(ctx context.Context, s *stream, why error) (_ watch.Interface, trouble, broken error) {
	if apierrors.IsGone(why) || apierrors.IsResourceExpired(why) {
		if err := r.openGap(s, why); err != nil {
			return nil, nil, err
		}
	}
	if r.isLost(s) {
		objects, listed, err := s.list(ctx)
		if err != nil {
			return nil, err, nil
		}
		if err := r.recordState(s, objects, listed); err != nil {
			return nil, nil, err
		}
	}
	watcher, err := s.watch(ctx, r.position(s), metav1.ListOptions{})
	return watcher, err, nil
}

// openGap marks where events may be missing from.
func (r *Recorder) openGap(s *stream, why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.lost || r.ended {
		return r.failure
	}
	s.lost = true
	gap := history.Gap{Kind: s.Kind, After: s.passed, Time: r.now(), Reason: why.Error()}
	if r.onGap != nil {
		r.onGap(gap)
	}
	return r.writer.Gap(gap)
}

func (r *Recorder) isLost(s *stream) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.lost
}

// recordState records how the state differs from what was received: at the start, and behind a gap, so that waiting goes on; judging across it
// does not. An object that did not change has its events already, before the gap.
func (r *Recorder) recordState(s *stream, objects []versioned, listed uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := s.passed
	present := sets.New[types.UID]()
	for _, object := range objects {
		present.Insert(object.GetUID())
		if object.version <= before {
			continue
		}
		event := watch.Added
		if _, known := s.existing[object.GetUID()]; known {
			event = watch.Modified
		}
		if err := r.record(s, event, object); err != nil {
			return err
		}
	}
	for uid, object := range s.existing {
		if present.Has(uid) {
			continue
		}
		last, err := s.versioned(object.DeepCopyObject())
		if err != nil {
			return err
		}
		last.version = listed
		last.SetResourceVersion(strconv.FormatUint(listed, 10))
		if err := r.record(s, watch.Deleted, last); err != nil {
			return err
		}
	}
	s.passed = max(s.passed, listed)
	s.lost = false
	return nil
}
