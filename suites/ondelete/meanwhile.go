package ondelete

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// meanwhile are the specs of what happens along with a change of the template: the strategy changes with it, a pod that was deleted has yet to go, the new ones do not
// become Ready, or there is no node.
func meanwhile() {
	for _, strategy := range rollouts.Strategies() {
		spec.It("touches no pod when the template changes, with an annotation of it, in the request that brings OnDelete in the place of "+strategy.With,
			spec.Decides("ONDELETE-001", "ONDELETE-003"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 2)
				daemonSet := c.Deploy(ctx, strategy.Limit("1"))
				c.Await(ctx, atRest())
				updated := c.Update(ctx, daemonSet, OnDelete(), Image("v2"), Edit{Says: "an annotation of the template", Apply: func(d *appsv1.DaemonSet) {
					metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, "example.org/restarted", "now")
				}})
				c.Await(ctx, Processed(updated))
				// Without a history it waits until that is overdue.
				c.Await(ctx, rollouts.Recorded(updated))
				// Longer than a controller may be late.
				c.Await(ctx, Quiet(3*time.Second))
				c.Mark(byHand)
			},
			func(j *spec.Checks) {
				for _, touched := range []Event{PodCreated(), PodDeleted(), rollouts.PodChanged()} {
					j.Decide("ONDELETE-001", NeverBetween(TemplateChanged(), Marked(byHand), touched))
				}
				j.Decide("ONDELETE-003", Within(spec.AtOnce, TemplateChanged(), RevisionCreated()))
			})
	}

	spec.It("counts a node once whose updated pod goes at once and comes back",
		spec.Decides("STATUS-008"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 3)[0]
			daemonSet := c.Deploy(ctx, OnDelete())
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, node), time.Minute)
			for range 2 {
				c.Await(ctx, UpdatedOn(1, updated, history.IsReady))
				c.AwaitAfter(ctx, 2*spec.Prompt, counted(updated, 1))
				c.DeletePod(ctx, c.RequireUpdated(ctx, "the node has an updated pod", updated, history.IsReady), 0)
			}
			c.Await(ctx, UpdatedOn(1, updated, history.IsReady))
			c.AwaitAfter(ctx, 2*spec.Prompt, counted(updated, 1))
		}, nil, spec.SimulatedNodes{})

	spec.It("counts pods of the new template that are made in the place of deleted ones though they do not become Ready",
		spec.Decides("ONDELETE-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			c.Bind(replaced, nodes...)
			daemonSet := c.Deploy(ctx, OnDelete())
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			c.Mark(byHand)
			for i, node := range nodes {
				c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, node), time.Minute)
				c.Await(ctx, UpdatedOn(i+1, updated))
				c.AwaitAfter(ctx, 2*spec.Prompt, counted(updated, i+1))
			}
		},
		func(j *spec.Checks) {
			for i := range j.BoundAll(replaced) {
				j.Decide("ONDELETE-005", AtLeast(1, After(grownTo(i+1), Marked(byHand))))
			}
		})

	spec.It("replaces a pod that is deleted by hand by one of the template that is in force when it goes, not of the one when it was deleted",
		spec.Decides("ONDELETE-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, OnDelete(), IgnoreSIGTERM())
			daemonSet = c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the controller has seen the first change", Processed(daemonSet))
			old := c.LivePods(ctx, daemonSet)[0]
			c.DeletePod(ctx, old, time.Minute)
			// The controller is to have seen that the pod terminates.
			c.Await(ctx, Quiet(2*judge.Lag))
			daemonSet = c.Update(ctx, daemonSet, Image("v3"))
			c.Require(ctx, "the controller has seen the second change", Processed(daemonSet))
			// So that nobody can claim not to know of it.
			c.Await(ctx, Quiet(2*judge.Lag))
			c.Pods.ReleaseTermination(ctx, old)
			c.Await(ctx, UpdatedOn(1, daemonSet))
		},
		func(j *spec.Checks) {
			gone, created := PodGone(OfVersion("v1")), PodCreated(OfVersion("v3"))
			j.Given(AtLeast(1, gone))
			// One that has ended is no hindrance, whether or not it is gone (DRAIN-007).
			j.Decide("ONDELETE-002", OneOf(Before(created, gone), Within(spec.AtOnce, gone, created)), Never(PodCreated(OfVersion("v2"))))
		})

	spec.It("makes the history of a new template while no node is to run a pod",
		spec.Decides("ONDELETE-003"),
		func(ctx context.Context, c *spec.Case) {
			// Not of the pool.
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", OnDelete(), rollouts.OnPool()))
			c.Require(ctx, "the controller has seen the DaemonSet", Processed(daemonSet))
			// It may have said so first.
			c.Await(ctx, rollouts.Recorded(daemonSet))
			daemonSet = c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, rollouts.Recorded(daemonSet))
			rollouts.JoinPool(ctx, c, nodes[0])
			c.Await(ctx, UpdatedOn(1, daemonSet))
		},
		func(j *spec.Checks) {
			made := After(RevisionCreated(), TemplateChanged())
			j.Decide("ONDELETE-003", Within(spec.AtOnce, TemplateChanged(), made), Before(made, First(PodCreated(OfVersion("v2")))))
		}, spec.SimulatedNodes{})
}
