package target

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// full is the node that has no room.
const full = "the node that has no room"

// room are the specs of updated pods that do not fit their node. That they stay Pending is the scheduler's doing; that they stay is the controller's.
func room() {
	for _, strategy := range strategies() {
		spec.It("keeps an updated pod that does not fit its node, and finishes once there is room, with "+strategy.with,
			spec.Decides("TARGET-008"),
			func(ctx context.Context, c *spec.Case) {
				nodes := c.AddNodes(ctx, 2)
				c.Bind(full, nodes[0])
				daemonSet := c.Deploy(ctx, strategy.edit)
				// A simulated node has 8 CPUs.
				other := c.MakePod(ctx, "large", nodes[0], map[string]string{"app": "large"}, func(pod *corev1.Pod) { ask(&pod.Spec, "6") })
				updated := c.Update(ctx, daemonSet, Image("v2"), Edit{Says: "4 CPUs", Apply: func(d *appsv1.DaemonSet) { ask(&d.Spec.Template.Spec, "4") }})
				c.Await(ctx, UpdatedOn(1, updated, OnNode(nodes[0])))
				c.Await(ctx, Quiet(late))
				c.DeletePod(ctx, other, 0)
				c.Await(ctx, RolledOut(updated))
			},
			func(j *spec.Checks) {
				j.Given(Before(PodCreated(OfVersion("v2")).On(j.Bound(full)), Began(history.DeletePod)))
				j.Decide("TARGET-008", EndsRolledOut(), Never(PodDeleted(OfVersion("v2"))))
			}, spec.SimulatedNodes{})
	}
}

// ask has the pods ask for that many CPUs.
func ask(pod *corev1.PodSpec, cpus string) {
	pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpus)}
}
