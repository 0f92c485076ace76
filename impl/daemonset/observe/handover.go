package observe

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// Handover makes sure that the first plan for a DaemonSet is not made on a cache that is behind what others have written: the previous
// leader, this process before it lost track, or the garbage collector, which leaves pods behind for the DaemonSet to adopt. A process
// cannot wait to see the writes of another, so it compares its cache with a read that bypasses it (RECOVERY-002, RECOVERY-005, HISTORY-026), until it shows
// what the first such read did.
type Handover struct {
	live client.Reader

	mu    sync.Mutex
	done  map[types.UID]bool
	looks map[types.UID]looks
}

// looks are what the API server had of what concerns a DaemonSet.
type looks struct{ pods, revisions Look }

// NewHandover returns a Handover that has confirmed nothing; live has to bypass every cache.
func NewHandover(live client.Reader) *Handover {
	return &Handover{live: live, done: map[types.UID]bool{}, looks: map[types.UID]looks{}}
}

// Confirmed reports whether state shows at least what the API server has of the DaemonSet's pods and ControllerRevisions.
// Once it has said so, it does not look again until Doubt is called for that DaemonSet.
func (h *Handover) Confirmed(ctx context.Context, state plan.State) (bool, error) {
	ds := state.DaemonSet
	h.mu.Lock()
	done, looks := h.done[ds.UID], h.looks[ds.UID]
	h.mu.Unlock()
	if done {
		return true, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
	if err != nil {
		// Nothing is planned for it then.
		selector = labels.Nothing()
	}
	concerns := func(object metav1.Object) bool {
		controller := metav1.GetControllerOfNoCopy(object)
		return controller != nil && controller.UID == ds.UID || controller == nil && selector.Matches(labels.Set(object.GetLabels()))
	}
	if err := h.look(ctx, ds, &looks); err != nil {
		return false, err
	}
	confirmed := CaughtUp(concerns, state.Pods, looks.pods) && CaughtUp(concerns, state.Revisions, looks.revisions)
	h.mu.Lock()
	defer h.mu.Unlock()
	if confirmed {
		h.done[ds.UID] = true
		delete(h.looks, ds.UID)
	} else {
		h.looks[ds.UID] = looks
	}
	return confirmed, nil
}

// look adds what the API server has now.
func (h *Handover) look(ctx context.Context, ds *appsv1.DaemonSet, looks *looks) error {
	pods, err := h.list(ctx, ds, corev1.SchemeGroupVersion.WithKind("PodList"))
	if err != nil {
		return err
	}
	revisions, err := h.list(ctx, ds, appsv1.SchemeGroupVersion.WithKind("ControllerRevisionList"))
	if err != nil {
		return err
	}
	looks.pods, looks.revisions = looks.pods.Then(pods), looks.revisions.Then(revisions)
	return nil
}

func (h *Handover) list(ctx context.Context, ds *appsv1.DaemonSet, kind schema.GroupVersionKind) (metav1.PartialObjectMetadataList, error) {
	live := metav1.PartialObjectMetadataList{}
	live.SetGroupVersionKind(kind)
	if err := h.live.List(ctx, &live, client.InNamespace(ds.Namespace)); err != nil {
		return live, fmt.Errorf("compare the cache with the %s of DaemonSet %s/%s: %w", kind.Kind, ds.Namespace, ds.Name, err)
	}
	return live, nil
}

// Doubt makes Confirmed look again: it is not known whether a write took effect.
func (h *Handover) Doubt(ds types.UID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.done, ds)
	delete(h.looks, ds)
}
