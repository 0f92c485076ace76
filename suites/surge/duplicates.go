package surge

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// deduplicated is where every node has one pod again, and a rollout begins.
const deduplicated history.Mark = "the second pod is gone"

// duplicates is the spec of a second pod of one revision on a node.
func duplicates() {
	spec.It("deletes the younger of two pods of one revision on a node",
		spec.Decides("SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			original := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.Bind("original", original.Name)
			twin := original.DeepCopy()
			twin.ObjectMeta = metav1.ObjectMeta{
				Name: "twin", Namespace: original.Namespace, Labels: original.Labels, Annotations: original.Annotations, OwnerReferences: original.OwnerReferences,
			}
			twin.Status = original.Status
			err := c.Do(ctx, history.Stimulus{
				Act: history.CreatePod, Kind: history.KindPod, Namespace: twin.Namespace, Name: twin.Name, Node: nodes[0],
			}, func(ctx context.Context) error {
				_, err := c.Client().CoreV1().Pods(twin.Namespace).Create(ctx, twin, metav1.CreateOptions{})
				return err
			})
			if err != nil {
				c.CannotDecide("harness: create a second pod on a node: " + err.Error())
			}
			c.Await(ctx, RolledOut(daemonSet))
			c.Await(ctx, Quiet(2*time.Second))
			c.Mark(deduplicated)
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			j.Decide("SURGE-010",
				Within(spec.Prompt, PodCreated(Named("twin")), PodDeleted(Named("twin"))),
				NeverBetween(PodCreated(Named("twin")), Marked(deduplicated), PodDeleted(Named(j.Bound("original")))))
		}, spec.SimulatedNodes{})
}
