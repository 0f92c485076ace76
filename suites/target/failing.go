package target

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What scenarios of failing pods choose.
const (
	failed  = "the pods that fail"
	oftenOn = "the node where pods keep failing"
	onceOn  = "the node where one fails"
)

// failing are the specs of pods that end in phase Failed.
func failing() {
	for _, strategy := range strategies() {
		spec.It("deletes failed pods and makes others in their place, with "+strategy.with,
			spec.Decides("TARGET-009"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 3)
				daemonSet := c.Deploy(ctx, strategy.edit)
				pods := c.LivePods(ctx, daemonSet)
				c.Bind(failed, pods[0].Name, pods[1].Name)
				for _, pod := range pods[:2] {
					c.Pods.Fail(ctx, pod)
				}
				c.Await(ctx, state.When("the failed pods are gone", func(cluster *history.Cluster) bool {
					return cluster.Pods[pods[0].UID] == nil && cluster.Pods[pods[1].UID] == nil
				}))
				c.Await(ctx, RolledOut(daemonSet))
			},
			func(j *spec.Checks) {
				for _, name := range j.BoundAll(failed) {
					j.Given(AtLeast(1, PodFailed(Named(name))))
					j.Decide("TARGET-009", AtLeast(1, PodDeleted(Named(name))))
				}
				j.Decide("TARGET-009", EndsRolledOut())
			})
	}

	spec.It("backs off from pods that keep failing, on each node for itself",
		spec.Decides("TARGET-010"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(failed, c.AddNodes(ctx, 2)...)
			rollouts.AwaitFailures(ctx, c, c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), Failing())), 2)
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(failed) {
				rollouts.BacksOff(j, "TARGET-010", PodCreated(OfVersion("v1")).On(node))
			}
		}, spec.SimulatedNodes{})

	spec.It("does not let a node wait for another on which pods keep failing",
		spec.Decides("TARGET-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			c.Bind(oftenOn, nodes[0])
			c.Bind(onceOn, nodes[1])
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			// With a delay that doubles from a second, and a first retry at once, the fifth takes eight.
			for range 4 {
				c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
				c.Await(ctx, RolledOut(daemonSet))
			}
			c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			once := c.LivePodOn(ctx, daemonSet, nodes[1])
			c.Pods.Fail(ctx, once)
			c.Await(ctx, UpdatedOn(1, daemonSet, OnNode(nodes[1])))
		},
		func(j *spec.Checks) {
			failsOn := func(node string) Reaction { return Reaction{From: PodFailed().On(node), To: PodCreated().On(node)} }
			// The first delay on the one node is like that on the other, wherever the other has got to.
			j.Decide("TARGET-010", AsSoonAs(spec.Prompt, failsOn(j.Bound(oftenOn)), failsOn(j.Bound(onceOn))))
		}, spec.SimulatedNodes{})
}
