// Package ondelete has the specs of the OnDelete strategy, which leaves it to others to delete the old pods.
package ondelete

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// byHand is where somebody begins to delete old pods.
const byHand history.Mark = "old pods are deleted by hand"

// back is where the template becomes the earlier one again.
const back history.Mark = "the template of before"

// replaced are the nodes whose pods are deleted, in this order.
const replaced = "the nodes whose pods are deleted by hand"

// moved are the node that leaves the selector, and the one that joins it.
const moved = "the node that leaves and the one that joins"

// Specs registers the family.
func Specs() {
	spec.It("touches no pod when the template changes, and replaces those that are deleted by hand by pods of the new template",
		spec.Decides("ONDELETE-001", "ONDELETE-002", "ONDELETE-003", "ONDELETE-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			c.Bind(replaced, nodes...)
			daemonSet := c.Deploy(ctx, OnDelete())
			c.Await(ctx, atRest())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Processed(updated))
			// Without a history it waits until that is overdue.
			c.Await(ctx, rollouts.Recorded(updated))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.Mark(byHand)
			for i, node := range nodes {
				c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, node), time.Minute)
				c.Await(ctx, UpdatedOn(i+1, updated))
				c.Await(ctx, counted(updated, i+1))
			}
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			for _, touched := range []Event{PodCreated(), PodDeleted(), rollouts.PodChanged()} {
				j.Decide("ONDELETE-001", NeverBetween(TemplateChanged(), Marked(byHand), touched))
			}
			j.Decide("ONDELETE-003",
				Within(spec.AtOnce, TemplateChanged(), RevisionCreated()),
				Before(After(RevisionCreated(), TemplateChanged()), First(PodCreated(OfVersion("v2")))))
			for i, node := range j.BoundAll(replaced) {
				gone, created := PodGone(OfVersion("v1")).On(node), PodCreated(OfVersion("v2")).On(node)
				j.Decide("ONDELETE-002", OneOf(Before(created, gone), Within(spec.AtOnce, gone, created)))
				grown := After(grownTo(i+1), Marked(byHand))
				j.Decide("ONDELETE-005", AtLeast(1, grown))
				if i+1 < len(j.BoundAll(replaced)) {
					// Each is waited for before the next pod is deleted.
					j.Decide("ONDELETE-005", Before(grown, Nth(i+2, Began(history.DeletePod))))
				}
			}
		}, spec.MainPath{})

	spec.It("touches no pod when the template is changed back, and counts the pods of that template as updated",
		spec.Decides("ONDELETE-001", "STATUS-008", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, OnDelete())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			first := c.LivePods(ctx, daemonSet)
			c.DeletePod(ctx, first[0], time.Minute)
			c.Await(ctx, counted(updated, 1))
			c.Pods.BecomeUnready(ctx, first[1])
			c.Await(ctx, atRest())
			c.Mark(back)
			c.AwaitAfter(ctx, 2*spec.Prompt, counted(c.Update(ctx, daemonSet, Image("v1")), 2))
			c.Await(ctx, numbered())
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			for _, touched := range []Event{PodCreated(), PodDeleted(), rollouts.PodChanged()} {
				j.Decide("ONDELETE-001", Never(After(touched, Marked(back))))
			}
		})

	spec.It("keeps old pods with the OnDelete strategy while one of them is not Ready, and when the implementation is started anew",
		spec.Decides("ONDELETE-001", "ONDELETE-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, OnDelete())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.Bind(replaced, nodes[1:]...)
			for i, node := range nodes[1:] {
				c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, node), time.Minute)
				c.Await(ctx, UpdatedOn(i+1, updated))
				// Longer than a controller may be late.
				c.Await(ctx, Quiet(3*time.Second))
				c.Kill(ctx)
				c.Restart(ctx)
				c.RequireReconciled(ctx, updated)
			}
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(replaced) {
				j.Given(Exactly(1, PodDeleted().On(node)))
				j.Decide("ONDELETE-002", AtLeast(1, PodCreated(OfVersion("v2")).On(node)))
			}
			j.Decide("ONDELETE-001", Keeps("ONDELETE-001"), Exactly(2, After(PodDeleted(), TemplateChanged())))
		}, spec.Alone{})

	spec.It("gives a node that joins a pod of the new template, and takes the old pod from one that leaves the selector, with the OnDelete strategy",
		spec.Decides("TARGET-002", "TARGET-004", "HISTORY-009", "DRAIN-001", "ONDELETE-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2, rollouts.InPool)
			joining := c.AddNodes(ctx, 1)
			c.Bind(moved, nodes[0], joining[0])
			updated := c.Update(ctx, c.Deploy(ctx, OnDelete(), rollouts.OnPool()), Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			rollouts.LeavePool(ctx, c, nodes[0])
			c.Await(ctx, rollouts.NoPodOn(updated, nodes[0]))
			rollouts.JoinPool(ctx, c, joining[0])
			if !c.Await(ctx, UpdatedOn(1, updated, OnNode(joining[0]))) {
				return
			}
			c.Cordon(ctx, joining[0])
			deleted := c.LivePodOn(ctx, updated, joining[0])
			c.DeletePod(ctx, deleted, time.Second)
			c.Await(ctx, UpdatedOn(1, updated, OnNode(joining[0]), func(pod *corev1.Pod) bool { return pod.UID != deleted.UID }))
		},
		func(j *spec.Checks) {
			left, joined := j.BoundAll(moved)[0], j.BoundAll(moved)[1]
			j.Decide("DRAIN-001", AtLeast(1, After(PodCreated().On(joined), Began(history.DeletePod))))
			j.Decide("TARGET-002",
				AtLeast(1, After(PodDeleted().On(left), Began(history.LabelNode))),
				Within(spec.AtOnce, NodeEligible().On(joined), PodCreated().On(joined)))
			j.Decide("TARGET-004", Never(PodCreated(OfVersion("v1")).On(joined)), Tested(AtLeast(1, PodCreated().On(joined))))
			j.Decide("HISTORY-009", Tested(AtLeast(1, PodCreated().On(joined))), Never(PodUnidentified()), Never(PodMisnumbered()))
		}, spec.SimulatedNodes{})

	spec.It("deletes history beyond revisionHistoryLimit with the OnDelete strategy",
		spec.Decides("ONDELETE-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			limit := int32(1)
			daemonSet := c.Deploy(ctx, OnDelete(), Edit{
				Says: "revisionHistoryLimit 1", Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit },
			})
			// No pod is ever of v2 and v3.
			for _, version := range []string{"v2", "v3", "v4"} {
				daemonSet = c.Update(ctx, daemonSet, Image(version))
				c.Require(ctx, "the controller has seen "+version, Processed(daemonSet))
				// It may have said so first.
				c.Await(ctx, rollouts.Recorded(daemonSet))
			}
			// For whoever deletes none before every node has an updated pod (HISTORY-016).
			c.DeletePod(ctx, c.LivePods(ctx, daemonSet)[0], time.Minute)
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, trimmed())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(4, RevisionCreated()))
			j.Decide("ONDELETE-004", ComesToHold(trimmed()))
		})

	unscheduled()
	repaired()
	meanwhile()
}

// atRest holds once whatever becomes of the pods that are there has come about, such as that the scheduler binds them: what is changed about pods later, the
// template's change has changed.
func atRest() Condition { return Quiet(spec.Prompt) }

// counted holds once the status counts that many nodes as updated.
func counted(daemonSet *appsv1.DaemonSet, count int) Condition {
	return state.When(fmt.Sprintf("the status counts %d updated nodes", count), func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[daemonSet.UID]
		return now != nil && now.Status.UpdatedNumberScheduled == int32(count)
	})
}

// grownTo is a status that counts that many nodes as updated.
func grownTo(count int) Event {
	return StatusWritten().Where(fmt.Sprintf("to updatedNumberScheduled %d", count), func(m Moment) bool {
		daemonSet, ok := m.Object.(*appsv1.DaemonSet)
		return ok && daemonSet.Status.UpdatedNumberScheduled == int32(count)
	})
}

// numbered holds when the history of the template in force has the largest number.
func numbered() Condition {
	return state.Right("the history of the template in force has the largest number", func(cluster *history.Cluster) error {
		var largest *appsv1.ControllerRevision
		for _, revision := range cluster.Revisions {
			if largest == nil || revision.Revision > largest.Revision {
				largest = revision
			}
		}
		if largest == nil {
			return fmt.Errorf("there is no history")
		}
		for _, daemonSet := range cluster.DaemonSets {
			template, err := history.TemplateIn(largest)
			if err != nil || !history.SameTemplate(template, &daemonSet.Spec.Template) {
				return fmt.Errorf("%s has the largest number, and another template (%v)", largest.Name, err)
			}
		}
		return nil
	})
}

// trimmed holds when there are no more than two ControllerRevisions: one that is current, and one within the limit.
func trimmed() Condition {
	return state.Right("no history is beyond the limit", func(cluster *history.Cluster) error {
		if count := len(cluster.Revisions); count > 2 {
			return fmt.Errorf("%d ControllerRevisions: one is current, and of the others one is to stay", count)
		}
		return nil
	})
}
