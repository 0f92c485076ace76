package recovery

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// resumes are the specs of rollouts that go on where a crash left them.
func resumes() {
	spec.It("resumes a rollout with maxUnavailable after a crash, whenever that comes, and keeps its limit",
		spec.Decides("RECOVERY-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), MinReadySeconds(1))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			crash(ctx, c, "an old pod is on its way out", gaveWay(updated))
			crash(ctx, c, "an updated pod is starting", some(updated, 1, starting))
			crash(ctx, c, "an updated pod is Ready, two are not yet updated", some(updated, 3, ready))
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("RECOVERY-001",
				Exactly(3, StimulusIs(back)),
				expect.RolledOut(), Keeps(judge.RollingFloor()), Keeps(judge.RollingOnePod()),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))))
		}, spec.Alone{})

	spec.It("resumes a surge rollout after a crash, with no pod too many and its limit kept",
		spec.Decides("RECOVERY-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 6)
			// Without minReadySeconds: what becomes of their timer is RECOVERY-003.
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			updated := c.Update(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			crash(ctx, c, "the first updated pod has been created", some(updated, 1, anyUpdated))
			crash(ctx, c, "an old pod gives way to an updated one", gaveWay(updated))
			crash(ctx, c, "updated pods are Ready on half of the nodes", some(updated, 3, ready))
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("RECOVERY-002",
				Exactly(3, StimulusIs(back)),
				expect.RolledOut(), Keeps(judge.SurgeBound()), Keeps(judge.SurgeTwoPods()), Keeps(judge.SurgeLastAvailable()),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))))
		}, spec.Alone{})
}

// some holds once at least n nodes have a pod of the DaemonSet of which the predicate is true.
func some(daemonSet *appsv1.DaemonSet, n int, is func(pod *corev1.Pod, updated bool) bool) Condition {
	return func(cluster *history.Cluster) bool {
		found := 0
		for _, node := range cluster.NodesOf(daemonSet.UID) {
			for _, pod := range cluster.PodsOn(daemonSet.UID, node) {
				if is(pod, history.MatchesTemplate(pod, &daemonSet.Spec.Template)) {
					found++
					break
				}
			}
		}
		return found >= n
	}
}

func anyUpdated(_ *corev1.Pod, updated bool) bool { return updated }

func starting(pod *corev1.Pod, updated bool) bool { return updated && !history.IsReady(pod) }

func ready(pod *corev1.Pod, updated bool) bool { return updated && history.IsReady(pod) }

// gaveWay holds once one of the nodes' old pods is on its way out or gone.
func gaveWay(daemonSet *appsv1.DaemonSet) Condition {
	live := func(pod *corev1.Pod, updated bool) bool { return !updated && history.IsLive(pod) }
	return func(cluster *history.Cluster) bool {
		return !some(daemonSet, len(cluster.EligibleNodes(daemonSet)), live)(cluster)
	}
}
