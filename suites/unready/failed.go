package unready

import (
	"context"
	"slices"
	"strings"

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
			c.Await(ctx, state.All(
				state.When("the failed pod is gone", func(cluster *history.Cluster) bool { return cluster.Pods[old[0].UID] == nil }),
				state.When("an Event tells of its failure", func(cluster *history.Cluster) bool {
					for _, event := range append(cluster.Reports[updated.UID], cluster.Reports[old[0].UID]...) {
						if saysFailed(event, old[0].Name) {
							return true
						}
					}
					return false
				})))
		},
		func(j *spec.Checks) {
			node, name := j.BoundAll(lost)[0], j.Bound(failedPod)
			j.Decide("UNREADY-004",
				Within(spec.AtOnce, PodFailed(Named(name)), updatedPod(node)),
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
			for _, image := range []string{"v2", "v3"} {
				daemonSet = rollouts.Stall(ctx, c, daemonSet, image, 1)
				for _, node := range rollouts.Untouched(ctx, c, daemonSet, 2) {
					pod := c.LivePodOn(ctx, daemonSet, node)
					rollouts.EvictByKubelet(ctx, c, pod)
					fail = append(fail, pod.Name)
				}
				if !rollouts.Finish(ctx, c, daemonSet) {
					break
				}
			}
			c.Bind(failedPod, fail...)
			c.Await(ctx, state.When("an Event tells of each failure", func(cluster *history.Cluster) bool {
				return !slices.ContainsFunc(fail, func(name string) bool {
					return !slices.ContainsFunc(cluster.Reports[daemonSet.UID], func(event *corev1.Event) bool { return saysFailed(event, name) })
				})
			}))
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

// saysFailed reports whether the Event is about the pod, by name or in its text, and says in its reason or text that it failed.
func saysFailed(event *corev1.Event, pod string) bool {
	about := event.InvolvedObject.Name == pod || strings.Contains(event.Message, pod)
	return about && strings.Contains(strings.ToLower(event.Reason+" "+event.Message), "fail")
}
