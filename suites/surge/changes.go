package surge

import (
	"context"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Points in scenarios of changes.
const (
	raising  history.Mark = "maxSurge is raised"
	lowering history.Mark = "maxSurge is lowered"
	lowered  history.Mark = "maxSurge has been lowered"
	switched history.Mark = "maxSurge is set to 0"
)

// followed is how many nodes the scenario takes in which maxSurge is lowered; half of them surge at first.
var followed = NodeCount{Least: 3, Likes: 6}

func surgeAtFirst(nodes int) int { return (nodes + 1) / 2 }

// changes are the specs of changes to the DaemonSet other than its template.
func changes() {
	spec.It("keeps one pod a node while the template stays as it is",
		spec.Decides("SURGE-014"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			for _, edit := range []Edit{
				Note(), MinReadySeconds(1), MaxSurge("100%"), OnDelete(), MaxSurge("1"),
			} {
				c.Require(ctx, "the controller has seen the change", Processed(c.Update(ctx, daemonSet, edit)))
			}
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-014", OnEveryNode(UpTo(1, PodCreated())), Never(PodDeleted()))
		})

	spec.It("follows a maxSurge that is raised or lowered during the rollout",
		spec.Decides("SURGE-020"),
		func(ctx context.Context, c *spec.Case) {
			first := surgeAtFirst(len(c.TakeNodes(ctx, followed)))
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge(strconv.Itoa(first))), first)
			// No Require: a controller that does not notice a change is one that breaks the promise.
			// 16 % of up to 6 nodes is 1.
			updated := c.Update(ctx, daemonSet, MaxSurge("16%"))
			c.Await(ctx, Processed(updated))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(lowered)
			// All but one of those that surge are done; the last one uses the limit up.
			c.BecomeReadyInTurn(ctx, updated, first-1)
			c.Await(ctx, handedOver(updated, first-1))
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(raising)
			updated = c.Update(ctx, updated, MaxSurge("2"))
			rollouts.Settle(ctx, c, updated, UpdatedOn(first+1, updated))
		},
		func(j *spec.Checks) {
			first := surgeAtFirst(j.Nodes(followed))
			created := PodCreated(OfVersion("v2"))
			j.Given(Before(Nth(first, created), Marked(lowered)))
			j.Decide("SURGE-020",
				NeverBetween(Marked(lowered), Marked(raising), created),
				AtMost(first+1, created),
				Never(PodDeleted(OfVersion("v2"))))
		})

	spec.It("takes no surge pod away that no node has room for when maxSurge is lowered",
		spec.Decides("SURGE-020"),
		func(ctx context.Context, c *spec.Case) {
			const surge = 2
			c.AddNodes(ctx, 3)
			large := rollouts.Unscheduled(ctx, c, c.Deploy(ctx, MaxSurge(strconv.Itoa(surge))), surge)
			c.Mark(lowering)
			c.Await(ctx, Processed(c.Update(ctx, large, MaxSurge("1"))))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			updated := PodCreated(OfVersion("v2"))
			j.Given(Before(Nth(2, updated), Marked(lowering)))
			j.Decide("SURGE-020", AtMost(2, updated), Never(PodDeleted(OfVersion("v2"))))
		})

	spec.It("makes no surge pod again that is lost after maxSurge was lowered, while others use the limit up",
		spec.Decides("SURGE-002", "SURGE-020"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			stalled := stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), 2)
			c.Mark(lowering)
			less := c.Update(ctx, stalled, MaxSurge("1"))
			c.Require(ctx, "the controller has seen the limit", Processed(less))
			c.Await(ctx, Quiet(2*time.Second))
			lost := c.RequireUpdated(ctx, "there is a surge pod", less)
			c.DeletePod(ctx, lost, time.Second)
			c.Await(ctx, state.When(lost.Name+" is gone", func(cluster *history.Cluster) bool { return cluster.Pods[lost.UID] == nil }))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			updated := PodCreated(OfVersion("v2"))
			j.Given(Before(Nth(2, updated), Marked(lowering)), AtLeast(1, Done(history.DeletePod)))
			j.Decide("SURGE-002", AtMost(2, updated))
			j.Decide("SURGE-020", AtMost(2, updated))
		}, spec.SimulatedNodes{})

	spec.It("keeps a ControllerRevision that live pods still use, even with revisionHistoryLimit 0",
		spec.Decides("HISTORY-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			none := Edit{Says: "revisionHistoryLimit 0", Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = new(int32) }}
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("1"), none), 1)
			// The pod of v2 gives way to one of v3, and so may its ControllerRevision; that of v1 stays until the rollout is over.
			third := c.Update(ctx, daemonSet, Image("v3"), NeverReady())
			rollouts.Settle(ctx, c, third, UpdatedOn(1, third))
			rollouts.Finish(ctx, c, third)
			c.Await(ctx, oneRevision(third))
		}, nil)

	spec.It("keeps the available pod of two when surge is switched off during the rollout",
		spec.Decides("SURGE-021"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			old := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.Require(ctx, "an updated pod stands beside each old one", PodsPerNode(stall(ctx, c, daemonSet, 2), 2))
			updated := c.LivePodOn(ctx, daemonSet, nodes[0])
			// The controller must not see one pod go and the other come before it sees the new strategy: it would act on it in surge mode. A new one
			// begins with a list of everything, so it knows all three.
			c.Kill(ctx)
			c.Pods.BecomeUnready(ctx, old)
			c.Pods.BecomeReady(ctx, updated)
			c.Mark(switched)
			without := c.Update(ctx, daemonSet, MaxUnavailable("1"))
			c.Restart(ctx)
			c.Await(ctx, PodsPerNode(without, 1))
			c.Await(ctx, Processed(without))
			c.Await(ctx, Quiet(time.Second))
			c.RollOut(ctx, without, Image("v3"), Healthy())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(switched)))
			j.Decide("SURGE-021",
				Never(After(PodDeleted(), Marked(switched)).Where("available, in favour of one that is not", sacrificed)),
				EndsRolledOut())
		}, spec.Alone{})
}

// oneRevision holds when no ControllerRevision is left but that of the DaemonSet's template.
func oneRevision(daemonSet *appsv1.DaemonSet) Condition {
	return Condition{Text: "one ControllerRevision is left", Unmet: func(cluster *history.Cluster) string {
		owned := 0
		for _, revision := range cluster.Revisions {
			if metav1.IsControlledBy(revision, daemonSet) {
				owned++
			}
		}
		if owned == 1 {
			return ""
		}
		return "there is another number of ControllerRevisions than one"
	}}
}

// sacrificed reports whether a deleted pod was available and another pod, which is not, lives on beside it.
func sacrificed(m Moment) bool {
	return m.WasAvailable() && len(m.LivePodsBeside()) > 0 && m.AvailableBeside() == 0
}
