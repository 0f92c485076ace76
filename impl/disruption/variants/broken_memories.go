package variants

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenMemories remember what has changed since, or mix up what they keep of several things.
func brokenMemories() []Variant {
	return []Variant{
		{Name: "remembers-controllers-of-pods", Says: "Remembers the controller that a pod had when it was first seen.", Breaks: []string{"PDB-026"},
			Planner: remember(rememberControllers)},
		{Name: "reads-a-custom-scale-once", Says: "Reads the scale of a custom resource once.", Breaks: []string{"PDB-008"},
			Planner: remember(func(m *memory[map[types.UID]int32]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					known := m.of(*state)
					if *known == nil {
						*known = map[types.UID]int32{}
					}
					changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
						if !c.Polled {
							return c
						}
						if _, read := (*known)[reference]; !read {
							(*known)[reference] = c.Replicas
						}
						c.Replicas = (*known)[reference]
						return c
					})
				})
			})},
		{Name: "times-evictions-by-its-own-clock", Says: "Counts the two minutes of an eviction from when its process first saw it.", Breaks: []string{"PDB-014"},
			Planner: remember(timeBySight)},
		{Name: "gives-up-on-all-evictions-at-once", Says: "Gives up on all evicted pods when it gives up on one.", Breaks: []string{"PDB-014"},
			Planner: counting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
				if len(status.DisruptedPods) == 0 || !someRemain(status, state) {
					return
				}
				for _, pod := range selected(state) {
					if _, listed := status.DisruptedPods[pod.Name]; listed && plan.IsHealthy(pod) {
						status.CurrentHealthy++
					}
				}
				status.DisruptedPods = nil
			})},
		{Name: "wakes-for-the-latest-eviction", Says: "Looks again when the latest of several evictions is two minutes old.", Breaks: []string{"PDB-015"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				status := actions.Status
				if status == nil {
					status = &state.Budget.Status
				}
				for _, granted := range status.DisruptedPods {
					actions.RequeueAfter = max(actions.RequeueAfter, granted.Add(plan.DeletionTimeout).Sub(now))
				}
			})},
		{Name: "wakes-for-the-first-eviction-by-name", Says: "Looks again when the eviction of the first pod by name, of several, is two minutes old.", Breaks: []string{"PDB-015"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				status := actions.Status
				if status == nil {
					status = &state.Budget.Status
				}
				if names := slices.Sorted(maps.Keys(status.DisruptedPods)); len(names) > 0 {
					actions.RequeueAfter = status.DisruptedPods[names[0]].Add(plan.DeletionTimeout).Sub(now)
				}
			})},
		{Name: "forgets-evictions-when-it-fails", Says: "Empties disruptedPods when a budget cannot be computed.", Breaks: []string{"PDB-012"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				if failed(status) {
					status.DisruptedPods = nil
				}
			})},
		{Name: "writes-when-numbers-change", Says: "Does not write a status in which nothing but disruptedPods has changed.", Breaks: []string{"PDB-016"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.Status == nil {
					return
				}
				numbers := actions.Status.DeepCopy()
				numbers.DisruptedPods = state.Budget.Status.DisruptedPods
				if apiequality.Semantic.DeepEqual(*numbers, state.Budget.Status) {
					actions.Status = nil
				}
			})},
		{Name: "observes-no-smaller-generation", Says: "Takes the largest generation of budgets of one name for that of a budget which is created again.", Breaks: []string{"PDB-011"},
			Planner: largestGeneration},
		{Name: "resets-targets-of-evictions-alone", Says: "Leaves the condition DisruptionTarget as it is, unless the eviction API has set it.", Breaks: []string{"PDB-034"},
			Reset: func(pod *corev1.Pod, now time.Time) plan.TargetActions {
				for _, condition := range pod.Status.Conditions {
					if condition.Type == corev1.DisruptionTarget && condition.Reason != "EvictionByEvictionAPI" {
						return plan.TargetActions{}
					}
				}
				return plan.Reset(pod, now)
			}},
	}
}

// ownersOfPods are the controllers that pods had first, and the scales of these when they were last known.
type ownersOfPods struct {
	owners map[types.UID][]metav1.OwnerReference
	scales map[types.UID]plan.Controller
}

func rememberControllers(m *memory[ownersOfPods]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		known := m.of(*state)
		if known.owners == nil {
			known.owners, known.scales = map[types.UID][]metav1.OwnerReference{}, map[types.UID]plan.Controller{}
		}
		controllers := map[types.UID]plan.Controller{}
		for uid, controller := range state.Controllers {
			controllers[uid], known.scales[uid] = controller, controller
		}
		changePods(state, func(*corev1.Pod) bool { return true }, func(pod *corev1.Pod) {
			if first, met := known.owners[pod.UID]; met {
				pod.OwnerReferences = first
			}
			known.owners[pod.UID] = pod.OwnerReferences
			reference := metav1.GetControllerOfNoCopy(pod)
			if reference == nil {
				return
			}
			if scale, read := known.scales[reference.UID]; read {
				controllers[reference.UID] = scale
			}
		})
		state.Controllers = controllers
	})
}

// timeBySight shows evictions as granted when they were first seen, and writes what was stored.
func timeBySight(m *memory[map[string]metav1.Time]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			known, stored := m.of(state), state.Budget.Status
			seen := map[string]metav1.Time{}
			for name := range stored.DisruptedPods {
				seen[name] = metav1.NewTime(now)
				if before, met := (*known)[name]; met {
					seen[name] = before
				}
			}
			*known = seen
			changeBudget(&state, func(budget *policyv1.PodDisruptionBudget) { budget.Status.DisruptedPods = seen })
			actions := next(state, now)
			status := actions.Status
			if status == nil {
				status = state.Budget.Status.DeepCopy()
			}
			kept := map[string]metav1.Time{}
			for name := range status.DisruptedPods {
				kept[name] = stored.DisruptedPods[name]
			}
			status.DisruptedPods, actions.Status = kept, nil
			if !apiequality.Semantic.DeepEqual(*status, stored) {
				actions.Status = status
			}
			return actions
		}
	}
}

// someRemain reports whether a pod that was listed and is not terminating is listed no longer.
func someRemain(status *policyv1.PodDisruptionBudgetStatus, state plan.State) bool {
	for _, pod := range selected(state) {
		_, was := state.Budget.Status.DisruptedPods[pod.Name]
		if _, is := status.DisruptedPods[pod.Name]; was && !is && pod.DeletionTimestamp == nil {
			return true
		}
	}
	return false
}

func largestGeneration(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	largest := map[types.NamespacedName]int64{}
	return reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
		mu.Lock()
		defer mu.Unlock()
		name := types.NamespacedName{Namespace: state.Budget.Namespace, Name: state.Budget.Name}
		largest[name] = max(largest[name], status.ObservedGeneration)
		status.ObservedGeneration = largest[name]
		if condition := allowed(status); condition != nil {
			condition.ObservedGeneration = largest[name]
		}
	})(next)
}
