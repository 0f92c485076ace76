package variants

import (
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenRollbacks go wrong where a rollout is overtaken by another one, or by the way back.
func brokenRollbacks() []Variant {
	return []Variant{
		{Name: "a-rollback-restarts-what-it-goes-back-to", Says: "Takes a pod for outdated that is of the template that a rollback goes back to.",
			Breaks: []string{"ROLLBACK-002", "ROLLBACK-003"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
				outdate(state, func(pod *corev1.Pod) bool { return pod.Labels[plan.GenerationLabel] != generation })
			})},
		{Name: "a-rollback-restarts-what-is-not-ready", Says: "Deletes the pods that are not Ready of the template that a rollback goes back to.",
			Breaks: []string{"ROLLING-015", "ONDELETE-001"}, Planner: doing(restartUnreadyOnReturn)},
		{Name: "a-rollback-leaves-surge-pods", Says: "Leaves the surge pods of a rollout that was rolled back beside the pods of the revision that it went back to.",
			Breaks: []string{"SURGE-011", "ROLLBACK-003", "HOSTPORT-012"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if !maySurge(state) {
					return
				}
				younger := map[string]bool{}
				for _, n := range nodes(state) {
					for _, pod := range n.olds {
						younger[string(pod.UID)] = len(n.news) > 0 && n.news[0].CreationTimestamp.Before(&pod.CreationTimestamp)
					}
				}
				withoutDeletions(actions, func(d plan.PodDeletion) bool { return younger[string(d.Pod.UID)] })
			})},
		{Name: "a-rollback-knows-no-limit", Says: "Deletes all outdated pods at once when a template comes back that there was before.",
			Breaks: []string{"ROLLBACK-004"}, Planner: doing(rollBackAtOnce)},
		{Name: "leaving-updated-pods-cost-nothing", Says: "Does not hold a node against maxUnavailable whose updated pod is terminating and still Ready.",
			Breaks: []string{"ROLLBACK-004", "ROLLING-009"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
				return n.unavailable(state, now) && available(state, stayed(n.leaving, updated(state)), now)
			})},
		{Name: "hands-over-to-a-leaving-pod", Says: "Deletes the old pod beside an updated one that would be available if it were not terminating.",
			Breaks: []string{"SURGE-016", "AVAIL-001"}, Planner: doing(handOverToALeavingPod)},
	}
}

// restartUnreadyOnReturn acts in the pass that gives the history of the current template a larger number.
func restartUnreadyOnReturn(actions *plan.Actions, state plan.State, _ time.Time) {
	name := plan.RevisionName(state.DaemonSet)
	if state.AwaitingOwnWrites || !slices.ContainsFunc(actions.UpdateRevisions, func(u plan.RevisionUpdate) bool { return u.Revision.Name == name }) {
		return
	}
	for _, n := range nodes(state) {
		for _, pod := range n.news {
			if !plan.IsReady(pod) {
				remove(actions, pod, plan.ReasonOldUnavailable)
			}
		}
	}
}

// stayed returns the pods that which selects as they would be if nobody had deleted them.
func stayed(leaving []*corev1.Pod, which func(*corev1.Pod) bool) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range leaving {
		if which(pod) {
			pod = pod.DeepCopy()
			pod.DeletionTimestamp = nil
			pods = append(pods, pod)
		}
	}
	return pods
}

func handOverToALeavingPod(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || actions.CreateRevision != nil || !maySurge(state) {
		return
	}
	isUpdated := updated(state)
	for _, n := range nodes(state) {
		successors := stayed(n.leaving, isUpdated)
		for _, old := range n.olds {
			if available(state, successors, now) {
				remove(actions, old, plan.ReasonReplaced)
			}
		}
		for _, successor := range successors {
			if at, known := plan.AvailableAt(successor, state.DaemonSet.Spec.MinReadySeconds); known && len(n.olds) > 0 {
				comeBack(actions, at.Sub(now))
			}
		}
	}
}

// outdated is a revision that no template has.
const outdated = "outdated"

// outdate makes pods look as if they were of another template.
func outdate(state *plan.State, which func(*corev1.Pod) bool) {
	owner := state.DaemonSet
	changePods(state, func(pod *corev1.Pod) bool { return metav1.IsControlledBy(pod, owner) && which(pod) }, func(pod *corev1.Pod) {
		pod.Labels[plan.HashLabel], pod.Labels[plan.GenerationLabel] = outdated, "0"
	})
}

// rollBackAtOnce deletes every outdated pod while the history of the current template is not the youngest.
func rollBackAtOnce(actions *plan.Actions, state plan.State, _ time.Time) {
	name := plan.RevisionName(state.DaemonSet)
	current := slices.IndexFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Name == name })
	if state.AwaitingOwnWrites || current < 0 || !slices.ContainsFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool {
		return state.Revisions[current].CreationTimestamp.Before(&r.CreationTimestamp)
	}) {
		return
	}
	for _, n := range nodes(state) {
		for _, pod := range n.olds {
			remove(actions, pod, plan.ReasonOutdated)
		}
	}
}

// madeFor is the annotation that carries the DaemonSet's generation at a pod's creation.
const madeFor = "made-for-generation"

func writeMade(actions *plan.Actions, state plan.State, _ time.Time) {
	for _, creation := range actions.CreatePods {
		metav1.SetMetaDataAnnotation(&creation.Pod.ObjectMeta, madeFor, strconv.FormatInt(state.DaemonSet.Generation, 10))
	}
}

func readMade(state *plan.State, _ time.Time) {
	generation := strconv.FormatInt(state.DaemonSet.Generation, 10)
	outdate(state, func(pod *corev1.Pod) bool { return pod.Annotations[madeFor] != generation })
}
