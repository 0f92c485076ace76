package matchers

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// BudgetChanged happens when the PodDisruptionBudget of that name is changed in the way that is asks for.
func BudgetChanged(name, how string, is func(before, after *policyv1.PodDisruptionBudget) bool) Event {
	return on(fmt.Sprintf("PodDisruptionBudget %s %s", name, how), func(_ *history.Cluster, change history.Change) bool {
		after, ok := change.Object.(*policyv1.PodDisruptionBudget)
		before, existed := change.Before.(*policyv1.PodDisruptionBudget)
		return ok && existed && after.Name == name && change.Type == watch.Modified && is(before, after)
	})
}

// BudgetBooked happens when a write of the budget's status lists the pod among the disrupted ones and lowers disruptionsAllowed by one.
func BudgetBooked(name, pod string) Event {
	return BudgetChanged(name, "allows one disruption less for pod "+pod, func(before, after *policyv1.PodDisruptionBudget) bool {
		return lists(after, pod) && !lists(before, pod) && after.Status.DisruptionsAllowed == before.Status.DisruptionsAllowed-1
	})
}

// BudgetLists happens when the budget's status lists a pod among the disrupted ones that it did not list before.
func BudgetLists(name, pod string) Event {
	return BudgetChanged(name, "lists pod "+pod, func(before, after *policyv1.PodDisruptionBudget) bool {
		return lists(after, pod) && !lists(before, pod)
	})
}

func lists(budget *policyv1.PodDisruptionBudget, pod string) bool {
	_, listed := budget.Status.DisruptedPods[pod]
	return listed
}

// BudgetLowered happens when an eviction lowers disruptionsAllowed, and not when the controller comes to another number: it is the API server that writes or,
// where the author is not known, a write that lists another pod among the disrupted ones.
func BudgetLowered(name string) Event {
	return on(fmt.Sprintf("PodDisruptionBudget %s allows fewer disruptions by an eviction", name), func(_ *history.Cluster, change history.Change) bool {
		after, ok := change.Object.(*policyv1.PodDisruptionBudget)
		before, existed := change.Before.(*policyv1.PodDisruptionBudget)
		if !ok || !existed || after.Name != name || after.Status.DisruptionsAllowed >= before.Status.DisruptionsAllowed {
			return false
		}
		if change.Author != nil {
			return change.Author.Who == history.APIServer
		}
		return len(after.Status.DisruptedPods) > len(before.Status.DisruptedPods)
	})
}

// BudgetAllows happens when disruptionsAllowed of the budget becomes that many, in a status that observes its present generation.
func BudgetAllows(name string, disruptions int32) Event {
	allows := func(budget *policyv1.PodDisruptionBudget) bool {
		return budget.Status.ObservedGeneration == budget.Generation && budget.Status.DisruptionsAllowed == disruptions
	}
	return BudgetChanged(name, fmt.Sprintf("allows %d disruptions", disruptions), func(before, after *policyv1.PodDisruptionBudget) bool {
		return allows(after) && !allows(before)
	})
}

// BudgetGone happens when the PodDisruptionBudget of that name is deleted.
func BudgetGone(name string) Event {
	return on(fmt.Sprintf("PodDisruptionBudget %s deleted", name), func(_ *history.Cluster, change history.Change) bool {
		budget, ok := change.Object.(*policyv1.PodDisruptionBudget)
		return ok && budget.Name == name && change.Type == watch.Deleted
	})
}

// BudgetCreated happens when a PodDisruptionBudget of that name comes into being.
func BudgetCreated(name string) Event {
	return on(fmt.Sprintf("PodDisruptionBudget %s created", name), func(_ *history.Cluster, change history.Change) bool {
		budget, ok := change.Object.(*policyv1.PodDisruptionBudget)
		return ok && budget.Name == name && change.Type == watch.Added
	})
}

// PodDisrupted happens when a pod gets the condition DisruptionTarget True, with the reason of evictions through the API.
func PodDisrupted(which ...Which) Event {
	return podEvent(which, "marked as evicted", func(before, after *corev1.Pod) bool {
		return after != nil && history.IsEvicted(after) && (before == nil || !history.IsEvicted(before))
	})
}

// BudgetRespecified happens when the budget gets another generation.
func BudgetRespecified(name string) Event {
	return BudgetChanged(name, "has another spec", func(before, after *policyv1.PodDisruptionBudget) bool { return after.Generation > before.Generation })
}

// NoEqualBudgetStatus asks of PodDisruptionBudgets what NoEqualStatus asks of DaemonSets.
func NoEqualBudgetStatus() Matcher {
	return noEqualStatus("writes no budget's status that equals the stored one", history.KindPodDisruptionBudget, writesBudget, nil)
}

// NoEqualBudgetStatusAfter asks it of the time after the marker's first occurrence.
func NoEqualBudgetStatusAfter(marker Event) Matcher {
	return noEqualStatus(fmt.Sprintf("writes no budget's status that equals the stored one after %s", marker), history.KindPodDisruptionBudget, writesBudget, &marker)
}

// writesBudget reports whether the request is a status write of whoever sees to budgets.
func writesBudget(author history.Author) bool {
	return author.Subresource == "status" && (author.Who == history.Implementation || author.Who == history.DisruptionController)
}

// PodSpared happens when a pod is no longer said to be about to be disrupted, and is still there.
func PodSpared(which ...Which) Event {
	return podEvent(which, "no longer about to be disrupted", func(before, after *corev1.Pod) bool {
		return before != nil && after != nil && history.IsDisruptionTarget(before) && !history.IsDisruptionTarget(after)
	})
}
