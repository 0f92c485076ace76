package history

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// DisruptedTimeout is how long a pod is taken for one that is about to go after its eviction was accepted, if it is not deleted (PDB-014).
const DisruptedTimeout = 2 * time.Minute

// disruptedSkew is how far the clocks of those who write and read an entry's time, which has a resolution of one second, may be apart.
const disruptedSkew = 2 * time.Second

// Budgets returns the recorded PodDisruptionBudgets that exist, by name.
func (c *Cluster) Budgets() []*policyv1.PodDisruptionBudget {
	var budgets []*policyv1.PodDisruptionBudget
	for _, object := range c.objects[KindPodDisruptionBudget] {
		if budget, ok := object.(*policyv1.PodDisruptionBudget); ok {
			budgets = append(budgets, budget)
		}
	}
	slices.SortFunc(budgets, func(a, b *policyv1.PodDisruptionBudget) int { return strings.Compare(a.Name, b.Name) })
	return budgets
}

// Selects reports whether the budget selects the pod. A budget without a selector selects none, an empty selector all of the namespace.
func Selects(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	return err == nil && pod.Namespace == budget.Namespace && selector.Matches(labels.Set(pod.Labels))
}

// SelectedBy returns the pods that the budget selects, whatever their state, by name.
func (c *Cluster) SelectedBy(budget *policyv1.PodDisruptionBudget) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range c.Pods {
		if Selects(budget, pod) {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}

// Tally are the numbers of a budget's status.
type Tally struct{ Expected, Desired, Healthy, Allowed int32 }

// TallyOf returns the numbers that a status says.
func TallyOf(status policyv1.PodDisruptionBudgetStatus) Tally {
	return Tally{Expected: status.ExpectedPods, Desired: status.DesiredHealthy, Healthy: status.CurrentHealthy, Allowed: status.DisruptionsAllowed}
}

// Reckoning is what a budget comes to in a state of the cluster.
type Reckoning struct {
	// Pods that the budget selects, by name.
	Pods []*corev1.Pod
	// Tallies are the numbers that are right: several where the documents leave open what counts, such as whether a terminating pod without a workload,
	// which is not healthy, is expected. None, if the budget has no limit, or takes a scale that cannot be told.
	Tallies []Tally
	// NeedsScale: the limit is a share of the pods' expected scale, or is subtracted from it.
	NeedsScale bool
	// Unmanaged are those of the live pods that have no controller, Unscaled those whose controller has no scale: a DaemonSet, a Job, or a Node. Unknown are those
	// whose controller's scale the recording does not tell.
	Unmanaged, Unscaled, Unknown []*corev1.Pod
	// Unsettled: a pod that terminates or has ended is such a one. Whether it counts the documents leave open: who takes it for one that has
	// no scale allows nothing, who leaves it out has Tallies.
	Unsettled bool
	// Managed are, where pods without a controller are in the way of Tallies, those of the others alone.
	Managed []Tally
}

// Computable reports whether the budget's numbers can be computed, as far as the recording tells.
func (r Reckoning) Computable() bool { return len(r.Tallies) > 0 }

// Allows reports whether the number of allowed disruptions is right by one of the tallies.
func (r Reckoning) Allows(allowed int32) bool {
	return slices.ContainsFunc(r.Tallies, func(t Tally) bool { return t.Allowed == allowed })
}

// Reckon returns what the budget comes to now. It takes the entries of disruptedPods from the budget's own status (PDB-013).
func (c *Cluster) Reckon(budget *policyv1.PodDisruptionBudget) Reckoning {
	r := Reckoning{Pods: c.SelectedBy(budget), NeedsScale: needsScale(budget)}
	for _, pod := range r.Pods {
		if !IsLive(pod) {
			_, _, known := c.scaleOf(pod)
			r.Unsettled = r.Unsettled || r.NeedsScale && !known
			continue
		}
		switch owner := metav1.GetControllerOf(pod); {
		case owner == nil:
			r.Unmanaged = append(r.Unmanaged, pod)
		case slices.Contains([]Kind{KindDaemonSet, KindJob, KindNode}, kindNamed(owner)):
			r.Unscaled = append(r.Unscaled, pod)
		default:
			if _, _, known := c.scaleOf(pod); !known {
				r.Unknown = append(r.Unknown, pod)
			}
		}
	}
	if budget.Spec.MinAvailable == nil && budget.Spec.MaxUnavailable == nil {
		return r
	}
	switch {
	case !r.NeedsScale || len(r.Unmanaged)+len(r.Unscaled)+len(r.Unknown) == 0:
		r.Tallies = c.tallies(budget, r.Pods)
	case len(r.Unscaled)+len(r.Unknown) == 0:
		r.Managed = c.tallies(budget, slices.DeleteFunc(slices.Clone(r.Pods), func(pod *corev1.Pod) bool { return metav1.GetControllerOf(pod) == nil }))
	}
	return r
}

// tallies are the numbers that are right for the pods. A workload's scale counts as long as it has any pod (PDB-007); only where a pod that is on its way out
// has none is it left open whether it counts. Those that terminate, and those that have ended, may be on their way out or not (PDB-001).
func (c *Cluster) tallies(budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod) []Tally {
	var all []Tally
	ways := [][]*corev1.Pod{pods}
	if _, known := c.expectedScale(pods); !known || !needsScale(budget) {
		terminates := func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil }
		for _, leaves := range []func(*corev1.Pod) bool{func(pod *corev1.Pod) bool { return !IsLive(pod) }, IsTerminal, terminates} {
			ways = append(ways, slices.DeleteFunc(slices.Clone(pods), leaves))
		}
	}
	for _, counted := range ways {
		for _, healthy := range c.healthy(budget, pods) {
			if tally, ok := c.tally(budget, counted, healthy); ok && !slices.Contains(all, tally) {
				all = append(all, tally)
			}
		}
	}
	return all
}

func needsScale(budget *policyv1.PodDisruptionBudget) bool {
	limit := budget.Spec.MinAvailable
	return budget.Spec.MaxUnavailable != nil || limit != nil && limit.Type == intstr.String
}

// tally computes the numbers, the expected ones from the pods that are counted; false if that cannot be told.
func (c *Cluster) tally(budget *policyv1.PodDisruptionBudget, counted []*corev1.Pod, healthy int32) (Tally, bool) {
	t := Tally{Expected: int32(len(counted)), Healthy: healthy}
	if needsScale(budget) {
		scale, known := c.expectedScale(counted)
		if !known {
			return t, false
		}
		t.Expected = scale
	}
	desired, err := DesiredHealthy(budget, int(t.Expected))
	if err != nil {
		return t, false
	}
	t.Desired = int32(desired)
	if t.Expected > 0 {
		t.Allowed = max(0, t.Healthy-t.Desired)
	}
	return t, true
}

// DesiredHealthy is minAvailable, or what maxUnavailable leaves of the expected pods; shares of them are rounded up (PDB-002, PDB-004).
func DesiredHealthy(budget *policyv1.PodDisruptionBudget, expected int) (int, error) {
	if budget.Spec.MaxUnavailable == nil {
		return intstr.GetScaledValueFromIntOrPercent(budget.Spec.MinAvailable, expected, true)
	}
	disrupted, err := intstr.GetScaledValueFromIntOrPercent(budget.Spec.MaxUnavailable, expected, true)
	return max(0, expected-disrupted), err
}

// healthy counts the pods that are Ready, neither terminating nor about to go. There are several numbers about when an entry runs out, and while a pod says that it
// is Ready whose containers have yet to restart.
func (c *Cluster) healthy(budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod) []int32 {
	var surely, possibly int32
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil || !SaysReady(pod) {
			continue
		}
		since, listed := budget.Status.DisruptedPods[pod.Name]
		switch age := c.Time.Sub(since.Time); {
		case !listed && IsReady(pod):
			surely++
			possibly++
		case !listed:
			possibly++
		case age > DisruptedTimeout-disruptedSkew:
			possibly++
		}
	}
	var numbers []int32
	for ; surely <= possibly; surely++ {
		numbers = append(numbers, surely)
	}
	return numbers
}

// IsDisruptionTarget reports whether the pod is said to be about to be disrupted: its condition DisruptionTarget is True.
func IsDisruptionTarget(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue
	})
}

// IsEvicted reports whether the pod says that its eviction through the API was accepted.
func IsEvicted(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue && condition.Reason == "EvictionByEvictionAPI"
	})
}
