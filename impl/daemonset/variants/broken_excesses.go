package variants

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenExcesses do more, or less, than a hand-over asks for.
func brokenExcesses() []Variant {
	return []Variant{
		{Name: "replaces-unready-pods-as-they-were", Says: "Creates the pod beside an old one that is not available by the old one's template.", Breaks: []string{"UNREADY-006"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for i, creation := range actions.CreatePods {
					if creation.Reason != plan.ReasonOldUnavailable {
						continue
					}
					for _, on := range nodes(state) {
						if on.name == creation.Node && len(on.olds) > 0 {
							actions.CreatePods[i].Pod = likeOld(creation.Pod, on.olds[0])
						}
					}
				}
			})},
		{Name: "surges-again-for-each-lapse", Says: "Creates another pod beside an old one each time that this ceases to be Ready.", Breaks: []string{"UNREADY-007"},
			Planner: remember(surgeAgain)},
		{Name: "gives-up-on-drained-nodes", Says: "Creates no pod on a node that was cordoned when its pod was deleted.", Breaks: []string{"DRAIN-009"}, Planner: remember(giveUpDrained)},
		{Name: "asks-budgets-before-it-deletes", Says: "Deletes no pod that a budget guards which allows no disruption.", Breaks: []string{"CROSS-003"},
			Writer: func(c client.Client) client.Client {
				return budgetedDeleter{c, func(context.Context, client.Object) bool { return true }}
			}},
		{Name: "asks-budgets-before-it-hands-over", Says: "Deletes no pod that has another beside it and that a budget guards which allows no disruption.",
			Breaks: []string{"CROSS-003"},
			Writer: func(c client.Client) client.Client {
				return budgetedDeleter{c, func(ctx context.Context, pod client.Object) bool { return besideAnother(ctx, c, pod.(*corev1.Pod)) }}
			}},
	}
}

// likeOld is the pod with the labels and the images of the old one.
func likeOld(pod, old *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.Labels = old.Labels
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].Image = old.Spec.Containers[i].Image
	}
	return pod
}

// surgeAgain overlooks the updated pods of a node in the first pass in which its old pod is not Ready, if it was before.
func surgeAgain(m *memory[map[types.UID]bool]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		was := m.of(*state)
		is, overlooked := map[types.UID]bool{}, sets.New[types.UID]()
		for _, on := range nodes(*state) {
			for _, old := range on.olds {
				is[old.UID] = plan.IsReady(old)
				if (*was)[old.UID] && !is[old.UID] {
					for _, pod := range on.news {
						overlooked.Insert(pod.UID)
					}
				}
			}
		}
		*was = is
		withoutPods(state, func(pod *corev1.Pod) bool { return overlooked.Has(pod.UID) })
	})
}

// giveUpDrained creates nothing on nodes that were cordoned while a pod on them was terminating.
func giveUpDrained(m *memory[sets.Set[string]]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		drained := m.of(state)
		if *drained == nil {
			*drained = sets.New[string]()
		}
		for _, on := range nodes(state) {
			if on.object.Spec.Unschedulable && len(on.leaving) > 0 {
				drained.Insert(on.name)
			}
		}
		withoutCreations(actions, func(c plan.PodCreation) bool { return drained.Has(c.Node) })
	})
}

// besideAnother reports whether another pod is on the node that has the same controller.
func besideAnother(ctx context.Context, c client.Reader, pod *corev1.Pod) bool {
	var pods corev1.PodList
	controller := metav1.GetControllerOf(pod)
	if controller == nil || c.List(ctx, &pods, client.InNamespace(pod.Namespace)) != nil {
		return false
	}
	return slices.ContainsFunc(pods.Items, func(other corev1.Pod) bool {
		owner := metav1.GetControllerOf(&other)
		return other.UID != pod.UID && owner != nil && owner.UID == controller.UID && plan.TargetNode(&other) == plan.TargetNode(pod)
	})
}

// budgetedDeleter deletes pods as far as budgets allow it, where it asks them.
type budgetedDeleter struct {
	client.Client
	asks func(context.Context, client.Object) bool
}

func (c budgetedDeleter) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if _, isPod := object.(*corev1.Pod); isPod && c.asks(ctx, object) {
		var budgets policyv1.PodDisruptionBudgetList
		if err := c.List(ctx, &budgets, client.InNamespace(object.GetNamespace())); err != nil {
			return fmt.Errorf("list the budgets: %w", err)
		}
		if slices.ContainsFunc(budgets.Items, func(budget policyv1.PodDisruptionBudget) bool {
			selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
			return err == nil && selector.Matches(labels.Set(object.GetLabels())) && budget.Status.DisruptionsAllowed == 0
		}) {
			return apierrors.NewTooManyRequests("a budget does not allow it", 1)
		}
	}
	return c.Client.Delete(ctx, object, options...)
}
