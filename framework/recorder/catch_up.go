package recorder

import (
	"context"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// CatchUp proves that the recording holds every event up to now, and says so in it. It reads each source consistently and waits until the
// watch has passed what was read: every object's version, and the deletion of whatever is no longer there. A watch delivers in order, so
// nothing before that can be missing.
func (r *Recorder) CatchUp(ctx context.Context) error {
	for _, source := range r.sources {
		if source.Kind == history.KindEvent {
			// Evidence only, and possibly in another etcd.
			continue
		}
		objects, listVersion, err := source.list(ctx)
		if err != nil {
			return err
		}
		listed, err := strconv.ParseUint(listVersion, 10, 64)
		if err != nil {
			return fmt.Errorf("catch up with %s: resourceVersion of the list: %w", source.name(), err)
		}
		var newest uint64
		present := sets.New[types.UID]()
		for _, object := range objects {
			version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
			if err != nil {
				return fmt.Errorf("catch up with %s %s: resourceVersion: %w", source.name(), object.GetName(), err)
			}
			newest = max(newest, version)
			present.Insert(object.GetUID())
		}
		err = r.Await(ctx, func(state *history.Cluster) bool {
			return r.passed[source.name()] >= newest && nothingElse(state, source, listed, present)
		})
		if err != nil {
			return fmt.Errorf("catch up with %s to resourceVersion %d: %w", source.name(), newest, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return r.failure
	}
	return r.writer.CaughtUp()
}

// nothingElse tells whether every recorded object of the source was in the list, or has changed after it.
func nothingElse(state *history.Cluster, source Source, listed uint64, present sets.Set[types.UID]) bool {
	for _, object := range state.Objects(source.Kind) {
		if object.GetNamespace() != source.Namespace || present.Has(object.GetUID()) {
			continue
		}
		version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
		if err != nil || version <= listed {
			return false
		}
	}
	return true
}
