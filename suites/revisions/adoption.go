package revisions

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// settled is when the second DaemonSet has taken over what the first one left, and nothing more happens.
const settled history.Mark = "nothing more happens after taking over"

// adoption are the specs of a DaemonSet that finds pods and histories of another one of its name.
func adoption() {
	spec.It("takes over the pods and the history that a DaemonSet of the same template left behind",
		spec.Decides("HISTORY-026", "HISTORY-009"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			left := c.Deploy(ctx, MaxUnavailable("2"))
			c.RollOut(ctx, left, Image("v2"))
			c.Require(ctx, "the rollout has come to rest", Quiet(time.Second))
			// The template generations of the new one begin again, the numbers of the history that it takes over do not.
			c.RollOut(ctx, recreate(ctx, c, left, MaxUnavailable("2"), Image("v2")), Image("v3"))
		},
		func(j *spec.Checks) {
			takesOverAll(j)
			j.Decide("HISTORY-009", Tested(AtLeast(2, PodCreated(OfVersion("v3")))), Never(PodUnidentified()), Never(PodMisnumbered()))
		})

	spec.It("gives the history of a template that comes back the largest number, though it is from before the DaemonSet",
		spec.Decides("HISTORY-010", "ROLLBACK-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			left := c.Deploy(ctx, MaxUnavailable("2"))
			c.RollOut(ctx, left, Image("v2"))
			// Timestamps are in whole seconds: the histories are older than the DaemonSet that takes them over.
			c.Require(ctx, "the rollout has come to rest", Quiet(2*time.Second))
			first, second := historyOf(ctx, c, left, "v1"), historyOf(ctx, c, left, "v2")
			c.RollOut(ctx, recreate(ctx, c, left, MaxUnavailable("2"), Image("v2")), Image("v1"))
			c.Await(ctx, numberedAbove(first.Name, second.Revision))
		},
		func(j *spec.Checks) {
			j.Given(EndsRolledOut())
			j.Decide("ROLLBACK-001", Never(After(RevisionCreated(), Marked(settled))))
		})

	spec.It("takes over with OnDelete what is left behind, pods of an older history among it",
		spec.Decides("HISTORY-026"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			left := c.Deploy(ctx, OnDelete())
			updated := c.Update(ctx, left, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.DeletePod(ctx, c.LivePodOn(ctx, left, nodes[0]), time.Second)
			c.Require(ctx, "one node has an updated pod", UpdatedOn(1, updated, history.IsReady))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			recreate(ctx, c, updated, OnDelete(), Image("v2"))
		}, takesOverAll)

	spec.It("takes over pods that are not Ready, or wait for room on their node, too",
		spec.Decides("HISTORY-026"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			all := len(nodes) + len(c.AddNodes(ctx, 1, rollouts.Full))
			left := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1")))
			c.Require(ctx, "every node has its pod", PodsSeen(left, all))
			c.Require(ctx, "those with room are Ready", ReadyPods(len(nodes)))
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, left, nodes[0]))
			c.Require(ctx, "one is not Ready any more", ReadyPods(len(nodes)-1))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			recreate(ctx, c, left, MaxUnavailable("1"))
		},
		func(j *spec.Checks) {
			changesNothing(j)
			j.Decide("HISTORY-026", Tested(AtLeast(3, PodCreated())))
		}, spec.SimulatedNodes{})

	spec.It("takes over pods that it was not allowed to adopt for a while, and makes none beside them",
		spec.Decides("HISTORY-026"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			left := c.Deploy(ctx, MaxUnavailable("1"))
			orphaned(ctx, c, left)
			c.RefuseAdoptions(ctx)
			c.Create(ctx, c.NewDaemonSet(left.Name, MaxUnavailable("1")))
			c.Await(ctx, Past(time.Now().Add(unadopted)))
			c.AdmitAdoptions(ctx)
			c.AwaitAfter(ctx, goesOn, allControlled())
			c.Await(ctx, Quiet(time.Second))
			c.Mark(settled)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseAdoptions)))
			changesNothing(j)
		})
}

const (
	// unadopted is how long adoptions are refused: long enough for whoever loses patience.
	unadopted = 10 * time.Second
	// goesOn is how long trying may pause after a refusal.
	goesOn = 30 * time.Second
)

// recreate deletes the DaemonSet without cascade, creates it again, and waits until the new one controls what was left.
func recreate(ctx context.Context, c *spec.Case, left *appsv1.DaemonSet, edits ...Edit) *appsv1.DaemonSet {
	orphaned(ctx, c, left)
	again := c.Create(ctx, c.NewDaemonSet(left.Name, edits...))
	c.Await(ctx, allControlled())
	c.Await(ctx, Quiet(time.Second))
	c.Mark(settled)
	return again
}

// orphaned deletes the DaemonSet without cascade, and returns when everybody knows that nobody controls what it leaves.
func orphaned(ctx context.Context, c *spec.Case, left *appsv1.DaemonSet) {
	c.DeleteDaemonSet(ctx, left, metav1.DeletePropagationOrphan)
	c.Require(ctx, "the deleted DaemonSet is gone", state.When("it is gone", func(cluster *history.Cluster) bool { return cluster.DaemonSets[left.UID] == nil }))
	// An implementation that has not heard yet that the pods belong to nobody may create others.
	c.Require(ctx, "everybody has heard of it", Quiet(judge.Lag))
}

// takesOverAll asks that the DaemonSet that was created again took over everything, of two templates, and changed nothing else.
func takesOverAll(j *spec.Checks) {
	changesNothing(j)
	j.Decide("HISTORY-026", Tested(AtLeast(1, PodCreated(OfVersion("v2")))), Tested(AtLeast(2, RevisionCreated())))
}

// changesNothing asks that the DaemonSet that was created again took over everything, and changed nothing else.
func changesNothing(j *spec.Checks) {
	recreated := Nth(2, Began(history.CreateDaemonSet))
	for _, happens := range []Event{PodCreated(), PodDeleted(), PodRestarted(), RevisionCreated(), RevisionDeleted()} {
		j.Decide("HISTORY-026", NeverBetween(recreated, Marked(settled), happens))
	}
	j.Decide("HISTORY-026", ComesToHold(allControlled()))
}

// allControlled holds while a DaemonSet controls every pod and history.
func allControlled() state.Condition {
	return state.Right("the DaemonSet controls every pod and history", func(cluster *history.Cluster) error {
		controlled := func(object metav1.Object) bool {
			owner := metav1.GetControllerOf(object)
			return owner != nil && cluster.DaemonSets[owner.UID] != nil
		}
		for _, pod := range cluster.Pods {
			if !controlled(pod) {
				return fmt.Errorf("pod %s is controlled by no DaemonSet", pod.Name)
			}
		}
		for _, revision := range cluster.Revisions {
			if !controlled(revision) {
				return fmt.Errorf("ControllerRevision %s is controlled by no DaemonSet", revision.Name)
			}
		}
		return nil
	})
}
