package united

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/observe"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// handover makes sure that the first plan for a UnitedDaemonSet is not made on a cache that is behind what the previous leader has written: a node that
// it has begun to move would not count (UNITED-027), one of a subset whose DaemonSet the cache lacks would seem to be nobody's, and a target whose
// UnitedDaemonSet has begun would seem to be free (UNITED-036).
type handover struct {
	// live bypasses every cache.
	live client.Reader

	mu   sync.Mutex
	done sets.Set[types.UID]
	// looks are those at what the cache has not shown yet.
	looks map[types.UID]look
}

// look is what the API server had; known says that the cache once had as much, and that nobody looked again.
type look struct {
	known                           bool
	nodes, daemonSets, pods, united observe.Look
}

func newHandover(live client.Reader) *handover {
	return &handover{live: live, done: sets.New[types.UID](), looks: map[types.UID]look{}}
}

// look asks the API server what there is, until that was confirmed once. It has to be compared with what is read from the cache later.
func (h *handover) look(ctx context.Context, united types.UID, namespace string) (look, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done.Has(united) {
		return look{known: true}, nil
	}
	l := h.looks[united]
	for _, list := range []struct {
		into *observe.Look
		kind schema.GroupVersionKind
		in   string
	}{
		{&l.nodes, corev1.SchemeGroupVersion.WithKind("NodeList"), ""},
		{&l.daemonSets, appsv1.SchemeGroupVersion.WithKind("DaemonSetList"), namespace},
		{&l.pods, corev1.SchemeGroupVersion.WithKind("PodList"), namespace},
		{&l.united, api.GroupVersion.WithKind(api.Kind + "List"), namespace},
	} {
		now := metav1.PartialObjectMetadataList{}
		now.SetGroupVersionKind(list.kind)
		if err := h.live.List(ctx, &now, client.InNamespace(list.in)); err != nil {
			return l, fmt.Errorf("compare the cache with the %s of the API server: %w", list.kind.Kind, err)
		}
		*list.into = list.into.Then(now)
	}
	h.looks[united] = l
	return l, nil
}

// confirmed reports whether state shows at least what the first look did.
func (h *handover) confirmed(l look, state plan.State) bool {
	if l.known {
		return true
	}
	controllers := sets.New[types.UID]()
	for _, ds := range state.DaemonSets {
		controllers.Insert(ds.UID)
	}
	every := func(metav1.Object) bool { return true }
	ofThem := func(pod metav1.Object) bool {
		controller := metav1.GetControllerOfNoCopy(pod)
		return controller != nil && controllers.Has(controller.UID)
	}
	united := append([]*api.UnitedDaemonSet{state.United}, state.Others...)
	if !observe.CaughtUp(every, state.Nodes, l.nodes) || !observe.CaughtUp(every, state.DaemonSets, l.daemonSets) || !observe.CaughtUp(ofThem, state.Pods, l.pods) ||
		!observe.CaughtUp(every, united, l.united) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done.Insert(state.United.UID)
	delete(h.looks, state.United.UID)
	return true
}

// forget drops a UnitedDaemonSet that is gone.
func (h *handover) forget(united types.UID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done.Delete(united)
	delete(h.looks, united)
}
