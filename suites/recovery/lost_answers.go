package recovery

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// lostAnswers are the specs of writes that the API server carries out and of which the implementation does not hear that it did: not by the answer, and by its
// watch of pods only later.
func lostAnswers() {
	spec.It("makes no second pod on a node, with maxUnavailable and with maxSurge, when the answer to a creation is lost",
		spec.Decides("RECOVERY-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			updated := rollOutLosing(ctx, c, creations, relay.LostAnswer{}, daemonSet, aPodOf, Image("v2"))
			rollOutLosing(ctx, c, creations, relay.LostAnswer{}, updated, aPodOf, Image("v3"), MaxSurge("1"))
			c.Await(ctx, Quiet(time.Second))
		}, createsOnce, spec.Alone{Relay: true}, spec.OneCause{})

	spec.It("makes no second pod on a node, with maxUnavailable and with maxSurge, when a creation that is carried out is said to have timed out",
		spec.Decides("RECOVERY-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			updated := rollOutLosing(ctx, c, creations, relay.LostAnswer{TimedOut: true}, daemonSet, aPodOf, Image("v2"))
			rollOutLosing(ctx, c, creations, relay.LostAnswer{TimedOut: true}, updated, aPodOf, Image("v3"), MaxSurge("1"))
			c.Await(ctx, Quiet(time.Second))
		}, createsOnce, spec.Alone{Relay: true}, spec.OneCause{})

	spec.It("deletes no pod on another node beyond maxUnavailable when the answer to a deletion is lost",
		spec.Decides("RECOVERY-009"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			// One that deletes on a node of its choice may choose the same again.
			for _, version := range []string{"v2", "v3"} {
				daemonSet = rollOutLosing(ctx, c, deletions, relay.LostAnswer{}, daemonSet, gaveWay, Image(version), ReadyAfter(slowNode))
			}
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(Exactly(2, Done(history.LoseAnswer)))
			j.Decide("RECOVERY-009", EndsRolledOut(), Keeps("ROLLING-002"))
			for _, version := range []string{"v1", "v2"} {
				j.Decide("RECOVERY-009", OnEveryNode(Exactly(1, PodDeleted(OfVersion(version)))))
			}
		}, spec.Alone{Relay: true}, spec.OneCause{})

	spec.It("gives a new history a larger number than all others when the answer to the creation of the one before is lost, which it hears of a second late",
		spec.Decides("HISTORY-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.DelayWatches(ctx, late, "controllerrevisions")
			c.SetFaults(ctx, relay.Fault{Of: relay.Selector{Verbs: creations, Resource: "controllerrevisions"}, Effect: relay.LostAnswer{}})
			second := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the creation whose answer is lost is carried out", state.When("there are two histories", func(cluster *history.Cluster) bool {
				return len(cluster.Revisions) > 1
			}))
			c.SetFaults(ctx)
			third := c.Update(ctx, second, Image("v3"))
			c.Await(ctx, Past(time.Now().Add(late)))
			c.EndWatchDelay(ctx)
			c.Await(ctx, RolledOut(third))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) { j.Given(Exactly(1, Done(history.LoseAnswer))) }, spec.Alone{Relay: true}, spec.OneCause{})
}

// createsOnce are the promises of two rollouts, each of which loses the answer to a creation.
func createsOnce(j *spec.Checks) {
	j.Given(Exactly(2, Done(history.LoseAnswer)))
	j.Decide("RECOVERY-008", EndsRolledOut(), Keeps("SURGE-002"), Keeps("SURGE-009"), Keeps("ROLLING-002"), Keeps("ROLLING-013"))
	for _, version := range []string{"v2", "v3"} {
		j.Decide("RECOVERY-008", OnEveryNode(Exactly(1, PodCreated(OfVersion(version)))))
	}
}

// creations and deletions are the verbs by which pods come and go.
var (
	creations = []string{"create", relay.Apply}
	deletions = []string{"delete", "deletecollection"}
)

// rollOutLosing begins a rollout in which the answer to the first such write of a pod is lost while the watch of pods is late. Once it has been carried out, and is known
// to everybody, the rollout goes on undisturbed.
func rollOutLosing(
	ctx context.Context, c *spec.Case, verbs []string, loses relay.LostAnswer, daemonSet *appsv1.DaemonSet, carriedOut func(*appsv1.DaemonSet) Condition, edits ...Edit,
) *appsv1.DaemonSet {
	before := c.LivePods(ctx, daemonSet)
	c.DelayWatches(ctx, late, "pods")
	c.SetFaults(ctx, relay.Fault{Of: relay.Selector{Verbs: verbs, Resource: "pods"}, Effect: loses})
	updated := c.Update(ctx, daemonSet, edits...)
	c.Require(ctx, "the write whose answer is lost is carried out", carriedOut(updated))
	requireToldOfWrites(ctx, c, updated, before)
	c.SetFaults(ctx)
	c.EndWatchDelay(ctx)
	c.Await(ctx, RolledOut(updated))
	return updated
}

// requireToldOfWrites returns when the implementation has been told of every pod of the DaemonSet that is new since before, and that was before and is on its way
// out or gone.
func requireToldOfWrites(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, before []*corev1.Pod) {
	now := c.LivePods(ctx, daemonSet)
	for _, pod := range without(before, now) {
		c.RequireTold(ctx, pod.UID, pod.ResourceVersion)
	}
	for _, pod := range without(now, before) {
		c.RequireTold(ctx, pod.UID, "")
	}
}

// without are those of the pods that are not among the others.
func without(pods, others []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(others, func(other *corev1.Pod) bool { return other.UID == pod.UID })
	})
}

// aPodOf holds once the DaemonSet has a pod of its template.
func aPodOf(daemonSet *appsv1.DaemonSet) Condition { return UpdatedOn(1, daemonSet) }
