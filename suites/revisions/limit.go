package revisions

import (
	"context"
	"fmt"
	"math"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// limit are the specs of the histories beyond revisionHistoryLimit.
func limit() {
	trims()
	lost()
	ended()
	waiting()
	closed()
	spec.It("keeps the histories of several old templates that pods still run or end with, beyond the limit",
		spec.Decides("HISTORY-017", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			// Pods take a second to end, in which they still carry the label of their history.
			daemonSet := c.Deploy(ctx, OnDelete(), keeping(0), DrainFor(time.Second))
			for i, version := range []string{"v2", "v3"} {
				updated := c.Update(ctx, daemonSet, Image(version))
				c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[i]), time.Minute)
				c.Require(ctx, "the deleted pod is replaced by an updated one", UpdatedOn(1, updated, history.IsReady, OnNode(nodes[i])))
			}
			// No pod is of the next template once there is another: its history is the one that may go.
			c.Require(ctx, "the controller has seen the template", Processed(c.Update(ctx, daemonSet, Image("v4"))))
			c.Await(ctx, histories(4))
			last := c.Update(ctx, daemonSet, Image("v5"))
			c.Require(ctx, "the controller has seen the template", Processed(last))
			c.Await(ctx, state.All(rollouts.Recorded(last), histories(4)))
			// A rollback to the oldest: the histories of the others are done with one after the other.
			c.RollOut(ctx, daemonSet, Image("v1"), MaxUnavailable("1"))
			c.Await(ctx, histories(1))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-017", Tested(AtLeast(1, PodDeleted(OfVersion("v2")))), Tested(AtLeast(1, PodDeleted(OfVersion("v3")))))
		})
}

// lostNode is the node that is removed without its pod.
const lostNode = "the lost node"

// lost is the spec of a pod whose node is gone.
func lost() {
	spec.It("keeps the history of a pod whose node is gone, beyond the limit, for as long as there is the pod",
		spec.Decides("HISTORY-017"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			c.Bind(lostNode, nodes[2])
			daemonSet := c.Deploy(ctx, keeping(0), MaxUnavailable("1"))
			left := c.LivePodOn(ctx, daemonSet, nodes[2])
			// Whoever deletes it before, it stays.
			c.AddFinalizer(ctx, left)
			rollouts.Remove(ctx, c, nodes[2])
			c.Await(ctx, Quiet(judge.Lag))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the other nodes have updated pods alone", UpdatedOn(2, updated, history.IsReady))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.Await(ctx, Quiet(2*time.Second))
			c.DeletePod(ctx, left, 0)
			c.RemoveFinalizer(ctx, left)
			c.Await(ctx, histories(1))
		},
		func(j *spec.Checks) {
			// What is deleted too early is the standing rule's.
			j.Decide("HISTORY-017", Tested(Before(PodDeleted(OfVersion("v1")).On(j.Bound(lostNode)), ofVersion(RevisionDeleted(), "v1"))))
		}, spec.SimulatedNodes{})
}

// ended is the spec of a pod that has failed and stays.
func ended() {
	spec.It("keeps the history of a pod that has failed and waits for its successor, beyond the limit",
		spec.Decides("HISTORY-017"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, keeping(0), MaxUnavailable("1"))
			// With a delay that doubles from a second, and a first retry at once, the last pod stays for eight seconds after its predecessor was deleted.
			for range 4 {
				c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
				c.Await(ctx, RolledOut(daemonSet))
			}
			c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			// By then everybody knows.
			c.Await(ctx, Quiet(judge.Lag))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, histories(1))
		},
		func(j *spec.Checks) {
			// What is deleted too early is the standing rule's.
			j.Decide("HISTORY-017", Tested(Before(Last(PodDeleted(OfVersion("v1"))), ofVersion(RevisionDeleted(), "v1"))))
		}, spec.SimulatedNodes{})
}

// waiting is the spec of a pod that waits for the scheduler.
func waiting() {
	spec.It("keeps the history of a pod that waits for the scheduler, beyond the limit, for as long as there is the pod",
		spec.Decides("HISTORY-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", OnDelete(), keeping(0), rollouts.TooLarge()))
			c.Require(ctx, "the node has a pod", UpdatedOn(1, daemonSet))
			c.Await(ctx, Quiet(judge.Lag))
			rollouts.NeedsScheduler(ctx, c, daemonSet)
			updated := c.Update(ctx, daemonSet, Image("v2"), rollouts.Fitting())
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.Await(ctx, Quiet(2*time.Second))
			for _, pod := range c.LivePods(ctx, daemonSet) {
				c.DeletePod(ctx, pod, 0)
			}
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, histories(1))
		},
		func(j *spec.Checks) {
			// What is deleted too early is the standing rule's.
			j.Decide("HISTORY-017", Tested(Before(PodDeleted(OfVersion("v1")), ofVersion(RevisionDeleted(), "v1"))))
		}, spec.SimulatedNodes{})
}

// closed is the spec of a pod on a node that repels new ones.
func closed() {
	spec.It("keeps the history of a pod on a node that repels new ones, beyond the limit, for as long as there is the pod",
		spec.Decides("HISTORY-017"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, OnDelete(), keeping(0))
			rollouts.TaintNodes(ctx, c, nodes[2])
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			for i, node := range nodes[:2] {
				c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, node), time.Second)
				c.Await(ctx, UpdatedOn(i+1, updated))
			}
			c.Await(ctx, Quiet(3*time.Second))
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[2]), time.Second)
			c.Await(ctx, histories(1))
		},
		func(j *spec.Checks) {
			// What is deleted too early is the standing rule's.
			j.Decide("HISTORY-017", Tested(Before(Last(PodDeleted(OfVersion("v1"))), ofVersion(RevisionDeleted(), "v1"))))
		}, spec.SimulatedNodes{})
}

// trims are the specs of what is deleted beyond the limit.
func trims() {
	spec.It("deletes the oldest histories beyond the limit, by their numbers, and never the current one",
		spec.Decides("HISTORY-016", "HISTORY-018", "HISTORY-019", "HISTORY-020"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			// The history of the other DaemonSet has the lowest number of all, and a name with the same prefix.
			other := c.Create(ctx, c.NewDaemonSet("daemon-other"))
			c.Require(ctx, "the other DaemonSet is available", Steady(other))
			daemonSet := c.Deploy(ctx, keeping(2), MaxUnavailable("1"))
			for _, version := range []string{"v2", "v3"} {
				c.RollOut(ctx, daemonSet, Image(version))
			}
			c.Await(ctx, keeps("daemon", "v3", "v2", "v1"))
			// The rollback makes v1 the newest, and v2 the oldest.
			c.RollOut(ctx, daemonSet, Image("v1"))
			c.RollOut(ctx, daemonSet, Image("v4"))
			c.Await(ctx, keeps("daemon", "v4", "v1", "v3"))
			// Now no pod runs v1, which was created before v3 and has a higher number.
			c.RollOut(ctx, daemonSet, Image("v5"))
			c.Await(ctx, keeps("daemon", "v5", "v4", "v1"))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-016", ComesToHold(histories(4)))
			j.Decide("HISTORY-018", Never(currentDeleted()), Tested(AtLeast(1, RevisionDeleted())))
			j.Decide("HISTORY-019", Before(ofVersion(RevisionDeleted(), "v2"), ofVersion(RevisionDeleted(), "v3")), Exactly(2, RevisionDeleted()))
			j.Decide("HISTORY-020", ComesToHold(keeps("daemon", "v5", "v4", "v1")))
		})

	spec.It("counts on from 9 to 10, and deletes 9 before 10",
		spec.Decides("HISTORY-003", "HISTORY-010", "HISTORY-019"),
		func(ctx context.Context, c *spec.Case) {
			const last = 12
			c.AddNodes(ctx, 1)
			// The pod stays as it is: this is about histories alone.
			daemonSet := c.Deploy(ctx, OnDelete(), keeping(last))
			for i := 2; i <= last; i++ {
				updated := c.Update(ctx, daemonSet, Image(fmt.Sprintf("v%d", i)))
				c.Require(ctx, "the controller has seen the template", Processed(updated))
				// It may have said so first.
				if !c.Await(ctx, rollouts.Recorded(updated)) {
					return
				}
			}
			c.Await(ctx, histories(last))
			c.Await(ctx, Processed(c.Update(ctx, daemonSet, keeping(2))))
			// For whoever deletes none before a rollout is over: back to the template of the pod, which ends the rollout.
			c.RollOut(ctx, daemonSet, Image("v1"), MaxUnavailable("1"))
			c.Await(ctx, histories(3))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			// Which number each has to have is the standing rule's.
			j.Decide("HISTORY-003", AtLeast(12, RevisionCreated()))
			j.Decide("HISTORY-019", AtLeast(1, ofVersion(RevisionDeleted(), "v9")), Never(ofVersion(RevisionDeleted(), "v11")))
		}, spec.SimulatedNodes{})

	spec.It("deletes the surplus as soon as the limit is lowered, down to the current history alone",
		spec.Decides("HISTORY-021", "HISTORY-018", "HISTORY-019", "HISTORY-020"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			// At first there is no limit to speak of: it is the largest that the API server stores.
			daemonSet := c.Deploy(ctx, keeping(math.MaxInt32), MaxUnavailable("1"))
			// A rollback makes v1, which was created first, a younger one than v2. No pod is of either then.
			for _, version := range []string{"v2", "v1", "v3"} {
				c.RollOut(ctx, daemonSet, Image(version))
			}
			c.Await(ctx, Quiet(time.Second))
			c.Mark(lowering)
			c.Update(ctx, daemonSet, keeping(1))
			c.Await(ctx, histories(2))
			c.Update(ctx, daemonSet, keeping(0))
			c.Await(ctx, histories(1))
			c.RollOut(ctx, daemonSet, Image("v4"))
			c.Await(ctx, keeps("daemon", "v4"))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-021",
				Before(ofVersion(RevisionDeleted(), "v1"), First(After(TemplateChanged(), Marked(lowering)))),
				Before(ofVersion(RevisionDeleted(), "v2"), First(After(TemplateChanged(), Marked(lowering)))))
			j.Decide("HISTORY-018", Never(currentDeleted()), Tested(AtLeast(2, RevisionDeleted())))
			j.Decide("HISTORY-019", Before(ofVersion(RevisionDeleted(), "v2"), ofVersion(RevisionDeleted(), "v1")))
			// The template of v1 comes back: of two histories of it one may go.
			j.Decide("HISTORY-020",
				NeverBetween(Began(history.CreateDaemonSet), Marked(lowering), ofVersion(RevisionDeleted(), "v2")), ComesToHold(keeps("daemon", "v4")))
		})
}

// lowering is where the limit begins to be lowered.
const lowering history.Mark = "the limit is lowered"

// currentDeleted is the deletion of the history of the template in force.
func currentDeleted() Event {
	return RevisionDeleted().Where("of the current template", func(m Moment) bool {
		owner := m.Owner()
		if owner == nil {
			return false
		}
		template, err := history.TemplateIn(m.Object.(*appsv1.ControllerRevision))
		return err == nil && history.SameTemplate(template, &owner.Spec.Template)
	})
}

// keeping sets revisionHistoryLimit.
func keeping(limit int32) Edit {
	return Edit{Says: fmt.Sprintf("revisionHistoryLimit %d", limit), Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit }}
}

// histories holds while there are that many. A scenario that does not come to it goes on: whether it must is not what it is about.
func histories(count int) state.Condition {
	return state.When(fmt.Sprintf("there are %d histories", count), func(cluster *history.Cluster) bool { return len(cluster.Revisions) == count })
}
