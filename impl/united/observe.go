package united

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// read returns what the cache holds about the UnitedDaemonSet named key. The error is the API's NotFound if there is none. What is in the result is shared
// with the cache and must not be changed.
func read(ctx context.Context, cache client.Reader, key types.NamespacedName) (plan.State, error) {
	state := plan.State{United: &api.UnitedDaemonSet{}}
	if err := cache.Get(ctx, key, state.United); err != nil {
		return state, fmt.Errorf("read UnitedDaemonSet %s: %w", key, err)
	}
	in := client.InNamespace(key.Namespace)
	var united api.UnitedDaemonSetList
	var sets appsv1.DaemonSetList
	var nodes corev1.NodeList
	for _, list := range []struct {
		into    client.ObjectList
		options []client.ListOption
	}{{&united, []client.ListOption{in}}, {&sets, []client.ListOption{in}}, {&nodes, nil}} {
		if err := cache.List(ctx, list.into, append(list.options, client.UnsafeDisableDeepCopy)...); err != nil {
			return state, fmt.Errorf("list %T for UnitedDaemonSet %s: %w", list.into, key, err)
		}
	}
	state.Others = slices.DeleteFunc(observe.Pointers(united.Items), func(other *api.UnitedDaemonSet) bool { return other.UID == state.United.UID })
	state.DaemonSets, state.Nodes = observe.Pointers(sets.Items), observe.Pointers(nodes.Items)
	slices.SortFunc(state.Nodes, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	for _, ds := range state.DaemonSets {
		controlled := client.MatchingFields{observe.ControllerIndex: string(ds.UID)}
		var pods corev1.PodList
		var revisions appsv1.ControllerRevisionList
		for _, list := range []client.ObjectList{&pods, &revisions} {
			if err := cache.List(ctx, list, in, controlled, client.UnsafeDisableDeepCopy); err != nil {
				return state, fmt.Errorf("list %T for UnitedDaemonSet %s: %w", list, key, err)
			}
		}
		state.Pods = append(state.Pods, observe.Pointers(pods.Items)...)
		state.Revisions = append(state.Revisions, observe.Pointers(revisions.Items)...)
	}
	return state, nil
}
