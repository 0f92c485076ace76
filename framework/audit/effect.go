package audit

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// effect is what an event shows of a request whose answer does not hold the object.
type effect string

const (
	// none of the others.
	none effect = ""
	// bound: a pod was given its node.
	bound effect = "bound"
	// disrupted: a pod was told that it is about to be evicted, which the eviction does before it deletes.
	disrupted effect = "disrupted"
	// doomed: an object began to terminate, or has less time to do so.
	doomed effect = "doomed"
	// ending: an object has no time left to terminate, and the same request goes on to remove it.
	ending effect = "ending"
	// gone: an object that no finalizer kept went.
	gone effect = "gone"
	// released: an object went with its last finalizer.
	released effect = "released"
)

// effectOf returns the effect that an event shows, given the object's state before it.
func effectOf(before history.Object, entry history.Entry) effect {
	after := entry.Object
	switch {
	case entry.Type == watch.Deleted && before != nil && before.GetDeletionTimestamp() != nil && len(before.GetFinalizers()) > 0:
		return released
	case entry.Type == watch.Deleted:
		return gone
	case before == nil:
		return none
	case after.GetDeletionTimestamp() != nil && !after.GetDeletionTimestamp().Equal(before.GetDeletionTimestamp()):
		if grace := after.GetDeletionGracePeriodSeconds(); grace != nil && *grace == 0 && len(after.GetFinalizers()) == 0 {
			return ending
		}
		return doomed
	}
	was, is := pods(before, after)
	switch {
	case is == nil:
		return none
	case was.Spec.NodeName == "" && is.Spec.NodeName != "":
		return bound
	case !history.IsEvicted(was) && history.IsEvicted(is):
		return disrupted
	}
	return none
}

func pods(before, after history.Object) (was, is *corev1.Pod) {
	was, beforeIsPod := before.(*corev1.Pod)
	is, afterIsPod := after.(*corev1.Pod)
	if !beforeIsPod || !afterIsPod {
		return nil, nil
	}
	return was, is
}

// mayCause reports whether a request that was carried out may have had the effect, which the event of that version shows. What is answered with a
// version has no effect but the event of that version, with two exceptions: the removal that follows the last second of a pod's time is answered with the
// version of the removal, and the removal of a last finalizer with the one before.
func (r Record) mayCause(shown effect, version uint64) bool {
	exact := r.ResourceVersion != 0 && shown != released && (shown != ending || r.ResourceVersion < version)
	if exact {
		return false
	}
	eviction := r.Subresource == "eviction"
	deletion := r.Subresource == "" && (r.Verb == "delete" || r.Verb == "deletecollection")
	switch shown {
	case bound:
		return r.Subresource == "binding"
	case disrupted:
		return eviction
	case doomed, ending, gone:
		return deletion || eviction
	case released:
		return r.Released && !deletion
	}
	return false
}
