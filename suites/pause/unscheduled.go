package pause

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unscheduled are the specs of updated pods that no node takes.
func unscheduled() {
	for _, cause := range []struct {
		words string
		edit  Edit
	}{
		{"that ask for more than their node has", rollouts.TooLarge()},
		{"whose anti-affinity keeps them off the node of the old pod", Edit{Says: "pods are to be alone on their node", Apply: func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{LabelSelector: d.Spec.Selector, TopologyKey: corev1.LabelHostname}},
			}}
		}}},
	} {
		spec.It("pauses within maxSurge for updated pods "+cause.words,
			spec.Decides("PAUSE-002"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 3)
				rollouts.NeedsScheduler(ctx, c, pause(ctx, c, c.Deploy(ctx, MaxSurge("1")), Image("v2"), cause.edit))
			}, unscheduledWithin)
	}

	spec.It("pauses within maxSurge for updated pods whose host port is taken, and goes on when it is free",
		spec.Decides("PAUSE-002", "PAUSE-004"),
		func(ctx context.Context, c *spec.Case) {
			if c.Claims(requirements.HostPortRejection) {
				c.NotPossible("the implementation has a host port together with maxSurge rejected")
			}
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxSurge("1")))
			c.Require(ctx, "the first pods are available", Steady(daemonSet))
			var taken []*corev1.Pod
			for _, node := range nodes {
				taken = append(taken, take(ctx, c, daemonSet, node, c.Port(0)))
			}
			updated := pause(ctx, c, daemonSet, Image("v2"), rollouts.HostPort(c.Port(0)))
			rollouts.NeedsScheduler(ctx, c, updated)
			for _, pod := range taken {
				c.DeletePod(ctx, pod, 0)
			}
			// Each old pod leaves before the next updated one comes, and none of them has the port.
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			unscheduledWithin(j)
			j.Decide("PAUSE-004", EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// unscheduledWithin asks PAUSE-002 of a rollout whose updated pods no node took.
func unscheduledWithin(j *spec.Checks) {
	j.Given(NeverBetween(TemplateChanged(), Marked(over), rollouts.ScheduledBeside()))
	j.Decide("PAUSE-002", within()...)
}

// take puts a pod on the node that has the host port, as somebody else's would.
func take(ctx context.Context, c *spec.Case, like *appsv1.DaemonSet, node string, port int32) *corev1.Pod {
	holder := c.NewDaemonSet("holder", rollouts.HostPort(port)).Spec.Template
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "holder-" + node, Namespace: like.Namespace, Labels: holder.Labels}, Spec: holder.Spec}
	pod.Spec.NodeName = node
	err := c.Do(ctx, history.Stimulus{Act: history.CreatePod, Kind: history.KindPod, Namespace: pod.Namespace, Name: pod.Name, Node: node},
		func(ctx context.Context) (err error) {
			pod, err = c.Client().CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			return err
		})
	if err != nil {
		c.CannotDecide("harness: take the host port: " + err.Error())
	}
	return pod
}
