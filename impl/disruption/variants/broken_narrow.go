package variants

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenNarrow look at something that is, where little happens, the same as what they should look at.
func brokenNarrow() []Variant {
	return []Variant{
		{Name: "takes-no-label-for-an-empty-one", Says: "Matches pods without a label by an empty value of matchLabels.", Breaks: []string{"PDB-001"},
			Planner: seeing(giveEmptyLabels)},
		{Name: "takes-the-condition-for-the-deletion", Says: "Takes a pod off disruptedPods once it has the condition DisruptionTarget, before it is deleted.",
			Breaks: []string{"PDB-012"}, Concerned: hearOfListed,
			Planner: withoutEvictions(func(state plan.State, name string, _ metav1.Time, _ time.Time) bool {
				for _, pod := range selected(state) {
					if pod.Name == name {
						return isTarget(pod)
					}
				}
				return false
			})},
		{Name: "observes-no-new-policy", Says: "Takes no notice of a generation in which nothing but unhealthyPodEvictionPolicy is new.", Breaks: []string{"PDB-011"},
			Planner: remember(overlookPolicies)},
		{Name: "gives-up-once-on-a-pod", Says: "Counts a pod on which it has given up once, though it is evicted again.", Breaks: []string{"PDB-012"},
			Planner: remember(giveUpOnce)},
		{Name: "resets-no-targets-from-before", Says: "Leaves the condition DisruptionTarget that a pod had before the process began.", Breaks: []string{"PDB-034"}, Reset: resetNew()},
		{Name: "takes-conditions-of-others-away-when-it-fails", Says: "Writes its own condition and no other when a budget cannot be computed.", Breaks: []string{"PDB-031"},
			Planner: reporting(func(status *policyv1.PodDisruptionBudgetStatus, _ plan.State, _ time.Time) {
				if !failed(status) {
					return
				}
				var own []metav1.Condition
				for _, condition := range status.Conditions {
					if condition.Type == policyv1.DisruptionAllowedCondition {
						own = append(own, condition)
					}
				}
				status.Conditions = own
			})},
		{Name: "waits-for-the-kind", Says: "Leaves the status as it is while a pod is controlled by an object whose kind the API server does not have.", Breaks: []string{"PDB-018", "PDB-020"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, controller := range state.Controllers {
					if controller.Err != nil && strings.Contains(controller.Err.Error(), "is no kind that") {
						*actions = plan.Actions{Retry: controller.Err}
					}
				}
			})},
		{Name: "keeps-the-deployment-of-a-replica-set", Says: "Goes on counting a ReplicaSet as the Deployment that controlled it first.", Breaks: []string{"PDB-007"},
			Planner: remember(keepDeployments)},
		{Name: "leaves-static-pods-out", Says: "Leaves pods that a Node controls out of a budget that needs a scale.", Breaks: []string{"PDB-020"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if plan.NeedsScale(state.Budget) {
					withoutPods(state, func(pod *corev1.Pod) bool {
						controller := metav1.GetControllerOfNoCopy(pod)
						return controller != nil && controller.Kind == "Node"
					})
				}
			})},
		{Name: "counts-pods-of-lost-nodes", Says: "Counts pods as healthy whose condition Ready is Unknown.", Breaks: []string{"PDB-010"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				state.Pods = slices.Clone(state.Pods)
				for i, pod := range state.Pods {
					state.Pods[i] = trusted(pod)
				}
			}),
			Concerned: func(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
				return plan.Concerned(budgets, trusted(before), trusted(after))
			}},
	}
}

// giveEmptyLabels gives pods the labels that the selector wants to be empty.
func giveEmptyLabels(state *plan.State, _ time.Time) {
	if state.Budget.Spec.Selector == nil {
		return
	}
	wanted := map[string]string{}
	for key, value := range state.Budget.Spec.Selector.MatchLabels {
		if value == "" {
			wanted[key] = value
		}
	}
	lacks := func(pod *corev1.Pod) bool {
		for key := range wanted {
			if _, has := pod.Labels[key]; !has {
				return true
			}
		}
		return false
	}
	changePods(state, lacks, func(pod *corev1.Pod) {
		all := maps.Clone(wanted)
		maps.Copy(all, pod.Labels)
		pod.Labels = all
	})
}

func isTarget(pod *corev1.Pod) bool {
	condition := conditionOf(pod, corev1.DisruptionTarget)
	return condition != nil && condition.Status == corev1.ConditionTrue
}

func readiness(pod *corev1.Pod) *corev1.PodCondition { return conditionOf(pod, corev1.PodReady) }

// trusted is the pod as Ready if it is not known whether it is.
func trusted(pod *corev1.Pod) *corev1.Pod {
	if ready := readiness(pod); ready == nil || ready.Status != corev1.ConditionUnknown {
		return pod
	}
	pod = pod.DeepCopy()
	readiness(pod).Status = corev1.ConditionTrue
	return pod
}

// conditionOf returns the pod's condition of that type, or nil.
func conditionOf(pod *corev1.Pod, of corev1.PodConditionType) *corev1.PodCondition {
	if pod == nil {
		return nil
	}
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == of {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// hearOfListed is plan.Concerned, and every change of a pod that is in disruptedPods.
func hearOfListed(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
	if concerned := plan.Concerned(budgets, before, after); len(concerned) > 0 || after == nil {
		return concerned
	}
	var listing []*policyv1.PodDisruptionBudget
	for _, budget := range budgets {
		if _, listed := budget.Status.DisruptedPods[after.Name]; listed {
			listing = append(listing, budget)
		}
	}
	return listing
}

// observed is the last generation that was taken notice of.
type observed struct {
	generation int64
	spec       policyv1.PodDisruptionBudgetSpec
}

func overlookPolicies(m *memory[observed]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		spec := *state.Budget.Spec.DeepCopy()
		spec.UnhealthyPodEvictionPolicy = nil
		last := m.of(*state)
		if last.generation == 0 || !apiequality.Semantic.DeepEqual(last.spec, spec) {
			last.generation, last.spec = state.Budget.Generation, spec
			return
		}
		changeBudget(state, func(budget *policyv1.PodDisruptionBudget) { budget.Generation = last.generation })
	})
}

// giveUpOnce takes those entries off disruptedPods whose pod ran out of time before.
func giveUpOnce(m *memory[map[string]bool]) Around {
	return withoutEvictions(func(state plan.State, name string, granted metav1.Time, now time.Time) bool {
		given := m.of(state)
		if *given == nil {
			*given = map[string]bool{}
		}
		if now.Before(granted.Add(plan.DeletionTimeout)) {
			return (*given)[name]
		}
		(*given)[name] = true
		return false
	})
}

// resetNew resets what came after the process began.
func resetNew() plan.Resetter {
	began := time.Now()
	return func(pod *corev1.Pod, now time.Time) plan.TargetActions {
		if target := conditionOf(pod, corev1.DisruptionTarget); target != nil && pod.CreationTimestamp.Time.Before(began) && target.LastTransitionTime.Time.Before(began) {
			return plan.TargetActions{}
		}
		return plan.Reset(pod, now)
	}
}

// keepDeployments keeps the first object with a scale that was found for each controller, as long as there is one.
func keepDeployments(m *memory[map[types.UID]plan.Controller]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		known := m.of(*state)
		if *known == nil {
			*known = map[types.UID]plan.Controller{}
		}
		changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
			if c.Err != nil || c.Gone {
				return c
			}
			first, is := (*known)[reference]
			if is && first.UID != c.UID {
				return first
			}
			(*known)[reference] = c
			return c
		})
	})
}
