package variants

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenSlips err at the edges of values, and where two things happen to one node at once.
func brokenSlips() []Variant {
	return []Variant{
		{Name: "rounds-surge-up-from-a-float", Says: "Takes the percentage of maxSurge as a fraction, so that 28% of 25 rounds up to 8.",
			Breaks: []string{"SURGE-003"},
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				of := eligibleNodes(state)
				if percent, is := percentOf(value); is {
					return int(math.Ceil(percent / 100 * float64(of)))
				}
				return scaled(value, of, true)
			})},
		{Name: "takes-the-rest-from-a-float", Says: "Computes how many nodes must stay available from a fraction, so that maxUnavailable 80% leaves none of 5.",
			Breaks: []string{"ROLLING-003"},
			Planner: limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				of := eligibleNodes(state)
				if percent, is := percentOf(value); is {
					return of - int(float64(of)*(1-percent/100))
				}
				return scaled(value, of, true)
			})},
		{Name: "min-ready-seconds-in-32-bits", Says: "Computes minReadySeconds in milliseconds of 32 bits, so that 2,147,484 s are none.",
			Breaks: []string{"STATUS-005"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				spec.MinReadySeconds = spec.MinReadySeconds * 1000 / 1000
			})},
		{Name: "ended-pods-are-updated-but-not-scheduled", Says: "Counts an updated pod that has ended as updated, but not its node as one with a pod.",
			Breaks: []string{"STATUS-013"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				for _, n := range nodes(state) {
					if n.eligible && len(n.news) == 0 && slices.ContainsFunc(n.ended, updated(state)) {
						status.UpdatedNumberScheduled++
					}
				}
			})},
		{Name: "misscheduled-pods-not-nodes", Says: "Counts for numberMisscheduled the pods of a node that should have none, and not the node.",
			Breaks: []string{"STATUS-003"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
				status.NumberMisscheduled = 0
				for _, n := range nodes(state) {
					if !n.eligible {
						status.NumberMisscheduled += int32(len(n.olds) + len(n.news) + len(n.leaving))
					}
				}
			})},
		{Name: "leaves-unscheduled-pods-to-the-taint", Says: "Does not delete a pod that is not scheduled from a node with a NoExecute taint.",
			Breaks: []string{"DRAIN-008"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				tainted := map[string]bool{}
				for _, each := range state.Nodes {
					tainted[each.Name] = slices.ContainsFunc(each.Spec.Taints, expels)
				}
				withoutDeletions(actions, func(d plan.PodDeletion) bool {
					return d.Reason == plan.ReasonIneligible && tainted[d.Node] && d.Pod.Spec.NodeName == ""
				})
			})},
		{Name: "takes-back-surge-pods-that-wait-for-the-scheduler", Says: "Deletes surge pods that are not scheduled once maxSurge is less than there are.",
			Breaks: []string{"SURGE-020"}, Planner: doing(takeBackUnscheduled)},
		{Name: "a-failed-old-pod-waits-for-its-successor", Says: "Leaves an old pod that has failed until the updated pod beside it is available.",
			Breaks: []string{"UNREADY-004"},
			Planner: seeing(func(state *plan.State, now time.Time) {
				hidden := map[*corev1.Pod]bool{}
				isUpdated := updated(*state)
				for _, n := range nodes(*state) {
					for _, pod := range n.ended {
						hidden[pod] = len(n.news) > 0 && !available(*state, n.news, now) && !isUpdated(pod)
					}
				}
				withoutPods(state, func(pod *corev1.Pod) bool { return hidden[pod] })
			})},
		{Name: "a-delay-holds-a-node-that-left", Says: "Leaves the pods of a node that should run none while it backs off from one that failed there.",
			Breaks: []string{"TARGET-002"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				resting := map[string]bool{}
				for _, n := range nodes(state) {
					resting[n.name] = len(n.ended) > 0 && now.Before(state.Backoff[n.name].Until())
				}
				withoutDeletions(actions, func(d plan.PodDeletion) bool {
					if d.Reason != plan.ReasonIneligible || !resting[d.Node] {
						return false
					}
					comeBack(actions, state.Backoff[d.Node].Until().Sub(now))
					return true
				})
			})},
		{Name: "keeps-young-pods-where-none-belongs", Says: "Deletes the old pod of a node that became ineligible as not available only if it is not Ready.",
			Breaks: []string{"SURGE-018"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				keeps := map[string]bool{}
				for _, each := range state.Nodes {
					_, keeps[each.Name] = plan.Eligibility(state.DaemonSet, each)
				}
				withoutDeletions(actions, func(d plan.PodDeletion) bool {
					young := plan.IsReady(d.Pod) && !plan.IsAvailable(d.Pod, state.DaemonSet.Spec.MinReadySeconds, now)
					return d.Reason == plan.ReasonIneligible && keeps[d.Node] && young
				})
			})},
	}
}

// percentOf returns the number of a percentage, and whether the value is one.
func percentOf(value *intstr.IntOrString) (float64, bool) {
	text, is := strings.CutSuffix(value.StrVal, "%")
	percent, err := strconv.ParseFloat(text, 64)
	return percent, value.Type == intstr.String && is && err == nil
}

func expels(taint corev1.Taint) bool { return taint.Effect == corev1.TaintEffectNoExecute }

func takeBackUnscheduled(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) {
		return
	}
	all := surging(state, now)
	beyond := len(all) - limitOf(state, maxSurge)
	for _, n := range all {
		if pod := n.news[0]; beyond > 0 && pod.Spec.NodeName == "" {
			remove(actions, pod, plan.ReasonDuplicate)
			beyond--
		}
	}
}
