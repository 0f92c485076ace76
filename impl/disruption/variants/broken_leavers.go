package variants

import (
	"context"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenLeavers are right as long as what is deleted goes, what is to be disrupted ran, and what has no scale gets none.
func brokenLeavers() []Variant {
	going, above := &going{sets: map[types.UID]bool{}}, &above{of: map[types.UID]types.UID{}}
	return []Variant{
		{Name: "expects-nothing-of-workloads-that-go", Says: "Takes a ReplicaSet that is being deleted for one that does not exist.", Breaks: []string{"PDB-003", "PDB-007"},
			Reconciler: going.look, Planner: seeing(going.leaveOut)},
		{Name: "asks-what-controls-a-replica-set", Says: "Counts the scale of the custom resource that controls a ReplicaSet instead of the ReplicaSet's.", Breaks: []string{"PDB-007"},
			Reconciler: above.look, Planner: seeing(above.climb)},
		{Name: "remembers-who-has-no-scale", Says: "Takes a controller that had no scale once for one that has none.", Breaks: []string{"PDB-008"}, Planner: remember(unscaledForEver)},
		{Name: "resets-no-targets-of-pending-pods", Says: "Leaves the condition DisruptionTarget of pods that are Pending.", Breaks: []string{"PDB-034"},
			Reset: func(pod *corev1.Pod, now time.Time) plan.TargetActions {
				if pod.Status.Phase == corev1.PodPending {
					return plan.TargetActions{}
				}
				return plan.Reset(pod, now)
			}},
	}
}

// unscaledForEver keeps the first words about a controller that has no scale.
func unscaledForEver(m *memory[map[types.UID]plan.Controller]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		known := m.of(*state)
		if *known == nil {
			*known = map[types.UID]plan.Controller{}
		}
		changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
			if first, is := (*known)[reference]; is {
				return first
			}
			if c.Err != nil && !c.Temporary {
				(*known)[reference] = c
			}
			return c
		})
	})
}

// going are the ReplicaSets that are being deleted.
type going struct {
	mu   sync.Mutex
	sets map[types.UID]bool
}

// look takes note of them before each pass.
func (g *going) look(next reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		var all appsv1.ReplicaSetList
		if err := c.List(ctx, &all, client.InNamespace(request.Namespace)); err != nil {
			return reconcile.Result{}, err
		}
		g.mu.Lock()
		for i := range all.Items {
			g.sets[all.Items[i].UID] = all.Items[i].DeletionTimestamp != nil
		}
		g.mu.Unlock()
		return next.Reconcile(ctx, request)
	})
}

func (g *going) leaveOut(state *plan.State, _ time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
		c.Gone = c.Gone || g.sets[reference]
		return c
	})
}

// above are the controllers of ReplicaSets.
type above struct {
	mu sync.Mutex
	of map[types.UID]types.UID
}

// look takes note of them before each pass.
func (a *above) look(next reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		var all appsv1.ReplicaSetList
		if err := c.List(ctx, &all, client.InNamespace(request.Namespace)); err != nil {
			return reconcile.Result{}, err
		}
		a.mu.Lock()
		for i := range all.Items {
			if controller := metav1.GetControllerOfNoCopy(&all.Items[i]); controller != nil {
				a.of[all.Items[i].UID] = controller.UID
			}
		}
		a.mu.Unlock()
		return next.Reconcile(ctx, request)
	})
}

// climb goes on to the controller of a ReplicaSet where that is known to control pods, too.
func (a *above) climb(state *plan.State, _ time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := state.Controllers
	changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
		if higher, is := known[a.of[reference]]; is {
			return higher
		}
		return c
	})
}
