// Package observe turns what the caches hold about one DaemonSet into a plain plan.State. It only reads, and decides
// nothing but whether the caches can be trusted yet.
package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// ControllerIndex is the cache index of pods and ControllerRevisions by the UID of their controller; those without a
// controller are under Orphans.
const (
	ControllerIndex = "rollcall.dev/controller"
	Orphans         = "none"
)

// Index registers ControllerIndex for pods and ControllerRevisions. It has to be called before the caches start.
func Index(ctx context.Context, indexer client.FieldIndexer) error {
	for _, object := range []client.Object{&corev1.Pod{}, &appsv1.ControllerRevision{}} {
		if err := indexer.IndexField(ctx, object, ControllerIndex, ControllerOf); err != nil {
			return fmt.Errorf("index %T by controller: %w", object, err)
		}
	}
	return nil
}

// ControllerOf is the index function of ControllerIndex.
func ControllerOf(object client.Object) []string {
	controller := metav1.GetControllerOfNoCopy(object)
	if controller == nil {
		return []string{Orphans}
	}
	return []string{string(controller.UID)}
}

// Observer reads the state of DaemonSets.
type Observer struct {
	cache client.Reader
}

// New returns an Observer that reads from cache, which needs the indexes that Index registers.
func New(cache client.Reader) *Observer { return &Observer{cache: cache} }

// Observe returns what the cache holds about the DaemonSet named key; Backoff, Refused, RefusedUpdates and AwaitingOwnWrites are left to the
// caller. The error is the API's NotFound if there is no such DaemonSet. Pods, nodes and revisions in the result are
// shared with the cache and must not be changed.
func (o *Observer) Observe(ctx context.Context, key types.NamespacedName) (plan.State, error) {
	ds := &appsv1.DaemonSet{}
	if err := o.cache.Get(ctx, key, ds); err != nil {
		return plan.State{}, fmt.Errorf("read DaemonSet %s: %w", key, err)
	}
	state := plan.State{DaemonSet: ds}

	var nodes corev1.NodeList
	if err := o.cache.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
		return plan.State{}, fmt.Errorf("list nodes: %w", err)
	}
	state.Nodes = Pointers(nodes.Items)
	slices.SortFunc(state.Nodes, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })

	for _, controller := range []string{string(ds.UID), Orphans} {
		var pods corev1.PodList
		if err := o.list(ctx, &pods, ds.Namespace, controller); err != nil {
			return plan.State{}, fmt.Errorf("list pods for DaemonSet %s: %w", key, err)
		}
		state.Pods = append(state.Pods, Pointers(pods.Items)...)

		var revisions appsv1.ControllerRevisionList
		if err := o.list(ctx, &revisions, ds.Namespace, controller); err != nil {
			return plan.State{}, fmt.Errorf("list ControllerRevisions for DaemonSet %s: %w", key, err)
		}
		state.Revisions = append(state.Revisions, Pointers(revisions.Items)...)
	}
	return state, o.addOthers(ctx, &state)
}

func (o *Observer) list(ctx context.Context, into client.ObjectList, namespace, controller string) error {
	return o.cache.List(ctx, into, client.InNamespace(namespace), client.MatchingFields{ControllerIndex: controller}, client.UnsafeDisableDeepCopy)
}

// addOthers adds the revisions that somebody else controls and that matter nevertheless.
func (o *Observer) addOthers(ctx context.Context, state *plan.State) error {
	for _, name := range plan.OtherRevisions(*state) {
		other := &appsv1.ControllerRevision{}
		err := o.cache.Get(ctx, types.NamespacedName{Namespace: state.DaemonSet.Namespace, Name: name}, other)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read ControllerRevision %s/%s: %w", state.DaemonSet.Namespace, name, err)
		}
		if err == nil {
			state.Revisions = append(state.Revisions, other)
		}
	}
	return nil
}

// Pointers returns the addresses of the items, as a list of the API has them.
func Pointers[T any](items []T) []*T {
	result := make([]*T, len(items))
	for i := range items {
		result[i] = &items[i]
	}
	return result
}
