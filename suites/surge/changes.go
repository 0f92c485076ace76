package surge

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// changes are the specs of changes to the DaemonSet other than its template, and of strategies that do not surge.
func changes() {
	spec.It("keeps one pod a node while the template stays as it is",
		spec.Decides("SURGE-014"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			for _, edit := range []Edit{
				{Says: "a label", Apply: func(d *appsv1.DaemonSet) { metav1.SetMetaDataLabel(&d.ObjectMeta, "note", "x") }},
				MinReadySeconds(1), MaxSurge("100%"),
			} {
				c.Require(ctx, "the controller has seen the change", Processed(c.Update(ctx, daemonSet, edit)))
			}
			c.Await(ctx, Quiet(2*time.Second))
			c.Decide("SURGE-014", OnEveryNode(Exactly(1, PodCreated())), Never(PodDeleted()))
		})

	spec.It("does not surge with the OnDelete strategy",
		spec.Decides("SURGE-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			onDelete := Edit{Says: "strategy OnDelete, the block left in place", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
			}}
			daemonSet := c.Deploy(ctx, MaxSurge("1"), onDelete)
			c.Require(ctx, "the controller has seen the update", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Await(ctx, Quiet(2*time.Second))
			c.Decide("SURGE-015", Never(PodCreated(OfVersion("v2"))), Never(PodDeleted()), AtLeast(1, RevisionCreated()))
		})

	spec.It("follows a maxSurge that is raised or lowered in mid-rollout",
		spec.Decides("SURGE-020"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 6)
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")))
			for _, maxSurge := range []string{"3", "2"} {
				c.Require(ctx, "the controller has seen maxSurge "+maxSurge, Processed(c.Update(ctx, daemonSet, MaxSurge(maxSurge))))
				c.Await(ctx, Quiet(time.Second))
			}
			update := StimulusIs("update DaemonSet")
			c.Decide("SURGE-020",
				NeverBetween(Nth(1, update), Nth(2, update), Nth(2, PodCreated(OfVersion("v2")))),
				Exactly(3, PodCreated(OfVersion("v2"))),
				Before(Nth(3, PodCreated(OfVersion("v2"))), Nth(3, update)),
				Never(PodDeleted()))
		})
}
