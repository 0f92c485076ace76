package recovery

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// resumes are the specs of rollouts that go on where a crash left them.
func resumes() {
	spec.It("resumes a rollout with maxUnavailable after a crash, whenever that comes, and keeps its limit",
		spec.Decides("RECOVERY-001", "DRAIN-003", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), MinReadySeconds(1))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			// Two are not yet updated at the third.
			if !crash(ctx, c, gaveWay(updated), UpdatedOn(1, updated, NotReady), UpdatedOn(3, updated, history.IsReady)) || !c.Await(ctx, RolledOut(updated)) {
				return
			}
			// The template is rolled back while no controller runs, and there is another crash while a pod terminates slowly.
			held := c.LivePods(ctx, updated)[0]
			c.Pods.HoldTermination(ctx, held)
			c.Kill(ctx)
			restored := c.Update(ctx, updated, MaxUnavailable("5"), MinReadySeconds(0), Edit{Says: "the template of before", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.Template = *daemonSet.Spec.Template.DeepCopy()
			}})
			// So that it is seen to be there before the implementation is.
			c.Await(ctx, state.When("the template of before is recorded", func(cluster *history.Cluster) bool {
				now := cluster.DaemonSets[restored.UID]
				return now != nil && now.Generation >= restored.Generation
			}))
			c.Restart(ctx)
			c.Mark(back)
			if !crash(ctx, c, Leaving(held)) {
				return
			}
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Pods.ReleaseTermination(ctx, held)
			c.Await(ctx, RolledOut(restored))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(back)))
			whole := Tested(Exactly(5, Marked(back)))
			j.Decide("DRAIN-003", whole)
			j.Decide("HISTORY-010", whole)
			j.Decide("RECOVERY-001",
				whole, EndsRolledOut(), Keeps("ROLLING-002"), Keeps("ROLLING-013"),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))))
		}, spec.Alone{})

	spec.It("resumes a surge rollout after a crash, with no pod too many and its limit kept",
		spec.Decides("RECOVERY-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 6)
			// Without minReadySeconds: what becomes of their timer is RECOVERY-003.
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			// At the third half of the nodes are done.
			if crash(ctx, c, UpdatedOn(1, updated), gaveWay(updated), UpdatedOn(3, updated, history.IsReady)) {
				c.Await(ctx, RolledOut(updated))
				c.Await(ctx, Quiet(time.Second))
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(back)))
			j.Decide("RECOVERY-002",
				Tested(Exactly(3, Marked(back))), EndsRolledOut(), Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("SURGE-016"),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))))
		}, spec.Alone{}, spec.MainPath{})
}

// gaveWay holds once one of the nodes' old pods is on its way out or gone.
func gaveWay(daemonSet *appsv1.DaemonSet) Condition {
	return state.When("an old pod is on its way out or gone", func(cluster *history.Cluster) bool {
		for _, node := range cluster.EligibleNodes(daemonSet) {
			if !slices.ContainsFunc(cluster.PodsOn(daemonSet.UID, node), func(pod *corev1.Pod) bool {
				return history.IsLive(pod) && !cluster.Matches(pod, &daemonSet.Spec.Template)
			}) {
				return true
			}
		}
		return false
	})
}
