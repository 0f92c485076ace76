package target

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// tolerations are the specs of what every daemon pod tolerates.
func tolerations() {
	spec.It("creates pods that tolerate the taints of unhealthy nodes without a time limit",
		spec.Decides("TARGET-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx)
			c.RollOut(ctx, daemonSet, Edit{Says: "the host's network, and limits to how long a node may be unreachable, or have any taint", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.Template.Spec.HostNetwork = true
				// The second is for every key.
				for _, key := range []string{corev1.TaintNodeUnreachable, ""} {
					d.Spec.Template.Spec.Tolerations = append(d.Spec.Template.Spec.Tolerations, corev1.Toleration{
						Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64),
					})
				}
				// To tolerate one effect of a taint is not to tolerate the other.
				for _, taint := range trouble() {
					d.Spec.Template.Spec.Tolerations = append(d.Spec.Template.Spec.Tolerations, corev1.Toleration{
						Key: taint.Key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectPreferNoSchedule,
					})
				}
			}})
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(2, PodCreated()))
			for _, taint := range trouble() {
				j.Decide("TARGET-007", Never(PodCreated().Where("that does not tolerate "+taint.ToString()+" for ever", func(m Moment) bool {
					return !tolerates(m.Pod(), taint)
				})))
			}
		}, spec.SimulatedNodes{})

	spec.It("keeps the pod of a node that is down, although its template tolerates for seconds only what drives pods away",
		spec.Decides("TARGET-007"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			c.Deploy(ctx, Tolerating(
				corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](2)},
				// The node stays eligible.
				corev1.Toleration{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}))
			c.NodeDown(ctx, node)
			c.Require(ctx, "the node drives pods away", state.When("the taint is there", func(cluster *history.Cluster) bool {
				return cluster.Nodes[node] != nil && slices.ContainsFunc(cluster.Nodes[node].Spec.Taints, func(taint corev1.Taint) bool {
					return taint.Key == corev1.TaintNodeUnreachable && taint.Effect == corev1.TaintEffectNoExecute
				})
			}))
			// Longer than the limit, and than the taint manager takes.
			c.Await(ctx, Past(time.Now().Add(6*time.Second)))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated()))
			j.Decide("TARGET-007", Never(PodDeleted()))
		}, spec.SimulatedNodes{})

	spec.It("makes a pod on the host's network on a node whose own network is not there",
		spec.Decides("TARGET-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, Edit{Says: "the host's network", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.HostNetwork = true }})
			node := c.AddNodes(ctx, 1, rollouts.Taint)[0]
			c.Bind(joined, node)
			c.LoseNetwork(ctx, node)
			rollouts.UntaintNodes(ctx, c, node)
			c.Await(ctx, RolledOut(daemonSet))
		},
		func(j *spec.Checks) {
			node := j.Bound(joined)
			j.Given(Never(NodeEligible().On(node).Where("whose network is there", hasNetwork)))
			j.Decide("TARGET-007", Within(spec.AtOnce, NodeEligible().On(node), PodCreated().On(node)))
		}, spec.SimulatedNodes{})
}

// limited is the spec of a taint that drives pods away, and that these tolerate for longer than any scenario takes.
func limited() {
	spec.It("has a pod on each node whose taint of effect NoExecute it tolerates for a time, and keeps it where the taint comes later",
		spec.Decides("TARGET-001"),
		func(ctx context.Context, c *spec.Case) {
			closing := tainted(emptying, "", corev1.TaintEffectNoExecute)
			c.AddNodes(ctx, 1, closing)
			later := c.AddNodes(ctx, 1)[0]
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), Edit{Says: "a toleration for an hour", Apply: func(d *appsv1.DaemonSet) {
				toleratingEffect(emptying).Apply(d)
				tolerations := d.Spec.Template.Spec.Tolerations
				tolerations[len(tolerations)-1].TolerationSeconds = ptr.To[int64](3600)
			}}))
			if !c.Await(ctx, RolledOut(daemonSet)) {
				return
			}
			c.EditNode(ctx, history.TaintNode, later, closing)
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) { j.Decide("TARGET-001", append(onePodEach(), Never(PodDeleted()))...) }, spec.SimulatedNodes{})
}

// hasNetwork reports whether the node that changed is not tainted for its network.
func hasNetwork(m Moment) bool {
	node, ok := m.Object.(*corev1.Node)
	return ok && !slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == corev1.TaintNodeNetworkUnavailable })
}

// trouble is what nodes are tainted with that daemons are there to survive. The last one only those do that use the host's network.
func trouble() []corev1.Taint {
	return []corev1.Taint{
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodePIDPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule},
	}
}

// tolerates reports whether the pod tolerates the taint without a limit of time, or need not. Of the tolerations that match a taint the taint manager goes by the first.
func tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	first := slices.IndexFunc(pod.Spec.Tolerations, func(toleration corev1.Toleration) bool {
		return toleration.ToleratesTaint(klog.Background(), &taint, false)
	})
	return taint.Key == corev1.TaintNodeNetworkUnavailable && !pod.Spec.HostNetwork || first >= 0 && pod.Spec.Tolerations[first].TolerationSeconds == nil
}
