package variants

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenInterplays are right as long as one thing happens at a time.
func brokenInterplays() []Variant {
	return []Variant{
		{Name: "keeps-scales-while-pods-terminate",
			Says:   "Takes the scale of a workload for what it was when a selected pod of it began to terminate, until none terminates.",
			Breaks: []string{"PDB-007"}, Planner: remember(keepScales)},
		{Name: "answers-for-an-earlier-spec",
			Says:   "Has the generation observed for which it computed the same spec over the same pods before, when a spec is changed back.",
			Breaks: []string{"PDB-011", "PDBAPI-003"}, Planner: remember(answerAgain)},
		{Name: "forgets-evictions-of-pods-that-became-ready-since",
			Says:   "Takes an eviction from before a pod became Ready for one of an earlier pod of the name, whatever the pod's age.",
			Breaks: []string{"PDB-012"}, Planner: forgetFormer},
		{Name: "counts-one-daemon-pod-a-node",
			Says:   "Counts of the healthy pods of a DaemonSet one for each node, also while a surge pod is Ready beside the old one.",
			Breaks: []string{"PDB-001"}, Planner: counting(countNodesOnce)},
		{Name: "hears-of-no-adoptions",
			Says:   "Does not look at a budget again when all that changes of a pod is its controller.",
			Breaks: []string{"PDB-026"}, Concerned: ignoreOwners},
	}
}

// keepScales shows a workload's scale of before as long as one of its selected pods is on its way out.
func keepScales(m *memory[map[types.UID]int32]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		kept := m.of(*state)
		leaving := map[types.UID]bool{}
		for _, pod := range selected(*state) {
			if reference := metav1.GetControllerOfNoCopy(pod); reference != nil && pod.DeletionTimestamp != nil {
				leaving[state.Controllers[reference.UID].UID] = true
			}
		}
		known := map[types.UID]int32{}
		changeControllers(state, func(_ types.UID, c plan.Controller) plan.Controller {
			if c.Gone || c.Err != nil {
				return c
			}
			if before, found := (*kept)[c.UID]; found && leaving[c.UID] {
				c.Replicas = before
			}
			known[c.UID] = c.Replicas
			return c
		})
		*kept = known
	})
}

// answers are the generations that specs had when they were computed over the same pods.
type answers struct {
	pods        string
	generations map[string]int64
}

// answerAgain has every answer that was given be given again as it was, as long as nothing changes but the spec. One with an eviction under way is not kept.
func answerAgain(m *memory[answers]) Around {
	return reporting(func(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
		if failed(status) || len(status.DisruptedPods) > 0 || len(state.Budget.Status.DisruptedPods) > 0 {
			return
		}
		given := m.of(state)
		if pods := versions(state); given.pods != pods || given.generations == nil {
			*given = answers{pods: pods, generations: map[string]int64{}}
		}
		// It was decoded from JSON.
		spec, _ := json.Marshal(state.Budget.Spec)
		generation, found := given.generations[string(spec)]
		if !found {
			given.generations[string(spec)] = state.Budget.Generation
			return
		}
		status.ObservedGeneration = generation
		if condition := apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition); condition != nil {
			condition.ObservedGeneration = generation
		}
	})
}

// versions tells apart what budgets are computed from but for their specs: all pods that are known, and the scales.
func versions(state plan.State) string {
	var all []string
	for _, pod := range state.Pods {
		all = append(all, string(pod.UID)+"/"+pod.ResourceVersion)
	}
	for reference, c := range state.Controllers {
		all = append(all, fmt.Sprintf("%s=%d", reference, c.Replicas))
	}
	slices.Sort(all)
	// Strings can be encoded.
	encoded, _ := json.Marshal(all)
	return string(encoded)
}

// forgetFormer has the planner not see evictions that were granted before their pods became Ready.
func forgetFormer(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		stored := state.Budget.Status
		former := func(pod *corev1.Pod) bool {
			granted, listed := stored.DisruptedPods[pod.Name]
			return listed && pod.DeletionTimestamp == nil && granted.Time.Before(readySince(pod))
		}
		changeBudget(&state, func(budget *policyv1.PodDisruptionBudget) {
			for _, pod := range selected(state) {
				if former(pod) {
					delete(budget.Status.DisruptedPods, pod.Name)
				}
			}
		})
		actions := next(state, now)
		if actions.Status == nil && !apiequality.Semantic.DeepEqual(state.Budget.Status, stored) {
			actions.Status = state.Budget.Status.DeepCopy()
		}
		return actions
	}
}

// readySince is since when the pod is Ready; the zero time if it is not.
func readySince(pod *corev1.Pod) time.Time {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			return condition.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// countNodesOnce takes off the pods of a DaemonSet that are healthy beside another one of it.
func countNodesOnce(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
	type place struct {
		controller types.UID
		node       string
	}
	taken := map[place]bool{}
	for _, pod := range selected(state) {
		reference := metav1.GetControllerOfNoCopy(pod)
		_, leaving := status.DisruptedPods[pod.Name]
		if reference == nil || reference.Kind != "DaemonSet" || leaving || !plan.IsHealthy(pod) {
			continue
		}
		here := place{reference.UID, pod.Spec.NodeName}
		if taken[here] {
			status.CurrentHealthy--
		}
		taken[here] = true
	}
}

// ignoreOwners is plan.Concerned for pods that keep their owners.
func ignoreOwners(budgets []*policyv1.PodDisruptionBudget, before, after *corev1.Pod) []*policyv1.PodDisruptionBudget {
	if before != nil && after != nil && before.UID == after.UID {
		same := *after
		same.OwnerReferences = before.OwnerReferences
		after = &same
	}
	return plan.Concerned(budgets, before, after)
}
