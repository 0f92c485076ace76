package unready

import (
	"context"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// failedPod is the old pod that fails.
const failedPod = "the pod that fails"

// failed is the spec of an old pod that ends, as one does that its kubelet evicts. It is for simulated nodes, on which a pod is Failed at once: with a kubelet it
// is first not Ready for a while.
func failed() {
	spec.It("makes an updated pod at once on a node whose old one has failed, deletes that, and says so in an Event",
		spec.Decides("UNREADY-004", "UNREADY-006"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 3, 1)
			c.Bind(failedPod, old[0].Name)
			rollouts.EvictByKubelet(ctx, c, old[0])
			c.Await(ctx, UpdatedOn(2, updated))
			c.Await(ctx, state.All(gone(old[0]), failureTold(updated, old[0])))
		},
		func(j *spec.Checks) {
			node, name := j.BoundAll(lost)[0], j.Bound(failedPod)
			j.Decide("UNREADY-004",
				Within(spec.AtOnce, PodFailed(Named(name)), updatedPod(node)),
				AtLeast(1, PodDeleted(Named(name))),
				Reported("that pod "+name+" has failed", func(event *corev1.Event) bool { return saysFailed(event, name) }))
		}, spec.SimulatedNodes{})
}

// failedBeside is the spec of an old pod that fails where an updated one is that never becomes Ready.
func failedBeside() {
	spec.It("deletes an old pod that has failed beside an updated one that is not Ready, and says so in an Event",
		spec.Decides("UNREADY-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), "v2", 1)
			surging := c.RequireUpdated(ctx, "a node surges", updated, Running, NotReady)
			var old *corev1.Pod
			c.Look(ctx, func(cluster *history.Cluster) {
				for _, pod := range cluster.PodsOn(updated.UID, history.NodeOf(surging)) {
					if history.IsLive(pod) && !cluster.IsUpdated(pod) {
						old = pod
					}
				}
			})
			if old == nil {
				c.CannotDecide("the node that surges has no old pod")
			}
			c.Bind(failedPod, old.Name)
			rollouts.EvictByKubelet(ctx, c, old)
			c.Await(ctx, state.All(gone(old), failureTold(updated, old)))
		},
		func(j *spec.Checks) {
			name := j.Bound(failedPod)
			j.Given(AtLeast(1, PodFailed(Named(name))))
			j.Decide("UNREADY-004",
				AtLeast(1, PodDeleted(Named(name))),
				Reported("that pod "+name+" has failed", func(event *corev1.Event) bool { return saysFailed(event, name) }))
		}, spec.SimulatedNodes{})
}

// failedAgain is the spec of old pods that fail where some have failed in an earlier rollout.
func failedAgain() {
	spec.It("says in an Event of each old pod that it has failed, also on a node where one failed in the rollout before",
		spec.Decides("UNREADY-004"),
		func(ctx context.Context, c *spec.Case) {
			// Two of three fail in each of two rollouts, so a node is among them twice, whichever the rollouts come to first.
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			var fail []string
			var told []Condition
			for _, image := range []string{"v2", "v3"} {
				daemonSet = rollouts.Stall(ctx, c, daemonSet, image, 1)
				for _, node := range rollouts.Untouched(ctx, c, daemonSet, 2) {
					pod := c.LivePodOn(ctx, daemonSet, node)
					rollouts.EvictByKubelet(ctx, c, pod)
					fail, told = append(fail, pod.Name), append(told, failureTold(daemonSet, pod))
				}
				if !rollouts.Finish(ctx, c, daemonSet) {
					break
				}
			}
			c.Bind(failedPod, fail...)
			c.Await(ctx, state.All(told...))
		},
		func(j *spec.Checks) {
			for _, name := range j.BoundAll(failedPod) {
				j.Given(AtLeast(1, PodFailed(Named(name))))
				j.Decide("UNREADY-004",
					AtLeast(1, PodDeleted(Named(name))),
					Reported("that pod "+name+" has failed", func(event *corev1.Event) bool { return saysFailed(event, name) }))
			}
		}, spec.SimulatedNodes{})
}

// gone holds when the pod's object is.
func gone(pod *corev1.Pod) Condition {
	return state.When("the failed pod is gone", func(cluster *history.Cluster) bool { return cluster.Pods[pod.UID] == nil })
}

// failureTold holds when an Event of the DaemonSet or of the pod says that it has failed.
func failureTold(daemonSet *appsv1.DaemonSet, pod *corev1.Pod) Condition {
	return state.When("an Event tells of its failure", func(cluster *history.Cluster) bool {
		return slices.ContainsFunc(slices.Concat(cluster.Reports[daemonSet.UID], cluster.Reports[pod.UID]), func(event *corev1.Event) bool {
			return saysFailed(event, pod.Name)
		})
	})
}

// saysFailed reports whether the Event is about the pod, by name or in its text, and says in its reason or text that it failed.
func saysFailed(event *corev1.Event, pod string) bool {
	about := event.InvolvedObject.Name == pod || strings.Contains(event.Message, pod)
	return about && strings.Contains(strings.ToLower(event.Reason+" "+event.Message), "fail")
}
