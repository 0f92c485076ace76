package observe

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// Look is what the API server had of a kind when it was first asked, and what it had when it was asked last. A cache has to catch up with the first look only:
// where objects change faster than they are listed it is always behind the last one. The zero value is from before the first.
type Look struct {
	taken       bool
	first, last metav1.PartialObjectMetadataList
}

// Then returns the look with a later list.
func (l Look) Then(last metav1.PartialObjectMetadataList) Look {
	if !l.taken {
		return Look{taken: true, first: last, last: last}
	}
	l.last = last
	return l
}

// CaughtUp reports whether cached has every object of the first look that concerns the caller, in its version of then or a later one, and no such object that
// was gone, or concerned somebody else, then. What the last look does not have any more, or only for somebody else, is not awaited.
func CaughtUp[T metav1.Object](concerns func(metav1.Object) bool, cached []T, look Look) bool {
	versions := make(map[types.UID]string, len(cached))
	for _, object := range cached {
		if concerns(object) {
			versions[object.GetUID()] = object.GetResourceVersion()
		}
	}
	still := sets.New[types.UID]()
	for i := range look.last.Items {
		if item := &look.last.Items[i]; concerns(item) {
			still.Insert(item.UID)
		}
	}
	for i := range look.first.Items {
		item := &look.first.Items[i]
		if !concerns(item) || !still.Has(item.UID) {
			continue
		}
		if version, found := versions[item.UID]; !found || stale.Older(version, item.ResourceVersion) {
			return false
		}
		delete(versions, item.UID)
	}
	for _, version := range versions {
		if version == look.first.ResourceVersion || stale.Older(version, look.first.ResourceVersion) {
			return false
		}
	}
	return true
}
