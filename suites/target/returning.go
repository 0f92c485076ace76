package target

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// deselected is the node that comes back without the label that the template asks for.
const deselected = "the node that comes back without its label"

// returning are the specs of nodes that are removed and added again under their names, with pods on them.
func returning() {
	spec.It("keeps the one pod of a node that comes back under its name, and takes it away if the node is not selected any more",
		spec.Decides("TARGET-002", "ROLLING-013"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2, rollouts.InPool)
			c.Bind(deselected, nodes[1])
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.OnPool())
			// Timestamps are in whole seconds: the new nodes must be younger than the pods.
			c.Await(ctx, Quiet(late))
			rollouts.Return(ctx, c, nodes[0])
			rollouts.Return(ctx, c, nodes[1], rollouts.OutOfPool)
			c.Await(ctx, rollouts.NoPodOn(daemonSet, nodes[1]))
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, Done(history.DeleteNode)))
			j.Decide("ROLLING-013", Never(PodCreated().BesideLivePod()))
			j.Decide("TARGET-002", AtLeast(1, PodDeleted().On(j.Bound(deselected))), UpTo(1, PodCreated().On(j.Bound(deselected))))
		}, spec.SimulatedNodes{})

	spec.It("looks anew at the nodes that changed when a template comes back that selects nodes",
		spec.Decides("TARGET-001", "SURGE-012"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2, rollouts.InPool)
			outside := c.AddNodes(ctx, 1)[0]
			selecting := c.Deploy(ctx, MaxSurge("1"), rollouts.OnPool())
			everywhere := c.Update(ctx, selecting, Image("v2"), rollouts.OffPool())
			c.Await(ctx, RolledOut(everywhere))
			// Neither matters to this template, and yet it is seen.
			rollouts.LeavePool(ctx, c, nodes[0])
			rollouts.JoinPool(ctx, c, outside)
			c.RequireReconciled(ctx, everywhere)
			restored := c.Update(ctx, everywhere, Edit{Says: "the template of before", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template = *selecting.Spec.Template.DeepCopy() }})
			c.Await(ctx, RolledOut(restored))
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) { j.Decide("TARGET-001", EndsRolledOut()) }, spec.SimulatedNodes{})

	spec.It("keeps the pod of a node that came back under its name while no controller ran",
		spec.Decides("ROLLING-015"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			// Timestamps are in whole seconds: the new node must be younger than the pod.
			c.Await(ctx, Quiet(late))
			c.Kill(ctx)
			rollouts.Return(ctx, c, nodes[0])
			// By then nobody can take the node for gone.
			c.Await(ctx, Quiet(late))
			c.Restart(ctx)
			c.RequireReconciled(ctx, daemonSet)
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.AddNode)), AtLeast(1, Done(history.RestartImplementation)))
			j.Decide("ROLLING-015", Never(PodDeleted()))
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("takes the pod from a node that left the selector while no controller ran, and makes one on a node that joined it",
		spec.Decides("TARGET-002"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2, rollouts.InPool)
			joining := c.AddNodes(ctx, 1)[0]
			c.Bind(unlabeled, nodes[0])
			c.Bind(labelled, joining)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.OnPool())
			c.Kill(ctx)
			rollouts.LeavePool(ctx, c, nodes[0])
			rollouts.JoinPool(ctx, c, joining)
			c.Await(ctx, Quiet(late))
			c.Restart(ctx)
			c.Await(ctx, state.All(rollouts.NoPodOn(daemonSet, nodes[0]), RolledOut(daemonSet)))
		},
		func(j *spec.Checks) {
			restarted := Began(history.RestartImplementation)
			j.Given(AtLeast(2, Done(history.LabelNode)), AtLeast(1, Done(history.RestartImplementation)))
			j.Decide("TARGET-002",
				AtLeast(1, After(PodDeleted().On(j.Bound(unlabeled)), restarted)), AtLeast(1, After(PodCreated().On(j.Bound(labelled)), restarted)), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// registered is the node that is registered again during the rollout.
const registered = "the node that is registered again"

// returningInRollout is the spec of a node that the rollout has not come to, and that comes back under its name without its pod.
func returningInRollout() {
	spec.It("makes a pod of the current revision on a node that is registered again during the rollout",
		spec.Decides("TARGET-004", "HISTORY-009"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			stalled := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			node := rollouts.Untouched(ctx, c, stalled, 1)[0]
			c.Bind(registered, node)
			rollouts.Replace(ctx, c, c.LivePodOn(ctx, stalled, node))
			c.Await(ctx, UpdatedOn(1, stalled, OnNode(node)))
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) {
			node := j.Bound(registered)
			created := After(PodCreated().On(node), Began(history.DeleteNode))
			j.Given(AtLeast(1, Done(history.DeleteNode)))
			j.Decide("TARGET-004", AtLeast(1, created), Never(After(PodCreated(OfVersion("v1")).On(node), Began(history.DeleteNode))))
			j.Decide("HISTORY-009", Tested(AtLeast(1, created)), Never(PodUnidentified()), Never(PodMisnumbered()))
		}, spec.SimulatedNodes{})
}
