package surge

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
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
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), 1)
			// No Require: a controller that does not notice a change is one that breaks the promise.
			c.Await(ctx, UpdatedOn(3, c.Update(ctx, daemonSet, MaxSurge("3"))))
			c.Await(ctx, Quiet(time.Second))
			c.Await(ctx, Processed(c.Update(ctx, daemonSet, MaxSurge("2"))))
			c.Await(ctx, Quiet(time.Second))
			update := StimulusIs("update DaemonSet")
			c.Decide("SURGE-020",
				NeverBetween(Nth(1, update), Nth(2, update), Nth(2, PodCreated(OfVersion("v2")))),
				Exactly(3, PodCreated(OfVersion("v2"))),
				Before(Nth(3, PodCreated(OfVersion("v2"))), Nth(3, update)),
				Never(PodDeleted()))
		})

	spec.It("keeps the history that pods are still of, with a revisionHistoryLimit of 0",
		spec.Decides("HISTORY-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			none := Edit{Says: "revisionHistoryLimit 0", Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = new(int32) }}
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("1"), none), 1)
			// The pod of v2 gives way to one of v3, and so may its history; those of v1 stay.
			c.Await(ctx, UpdatedOn(1, c.Update(ctx, daemonSet, Image("v3"), NeverReady())))
			c.Await(ctx, func(cluster *history.Cluster) bool { return len(cluster.Revisions) == 2 })
			c.Await(ctx, Quiet(2*time.Second))
			c.Decide("HISTORY-017", Exactly(3, RevisionCreated()), Exactly(1, RevisionDeleted()), Never(PodDeleted(OfVersion("v1"))))
		})

	spec.It("keeps the available pod of two when surge is switched off in mid-rollout",
		spec.Decides("SURGE-021"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			old := c.LivePodOn(ctx, daemonSet, nodes[0])
			c.Require(ctx, "an updated pod stands beside each old one", PodsPerNode(stall(ctx, c, daemonSet, 2), 2))
			updated := c.LivePodOn(ctx, daemonSet, nodes[0])
			// The controller must not see one pod go and the other come before it sees the new strategy: it would act on it in surge mode. A new one
			// begins with a list of everything, so it knows all three.
			c.Kill(ctx)
			c.Pods.BecomeUnready(ctx, old)
			c.Pods.BecomeReady(ctx, updated)
			switched := c.Update(ctx, daemonSet, MaxUnavailable("1"))
			c.Restart(ctx)
			c.Await(ctx, PodsPerNode(switched, 1))
			c.Await(ctx, Processed(switched))
			c.Await(ctx, Quiet(time.Second))
			c.RollOut(ctx, switched, Image("v3"), Healthy())
			c.Decide("SURGE-021",
				Never(After(PodDeleted(), Nth(2, StimulusIs("update DaemonSet"))).Where("available, in favour of one that is not", sacrificed)),
				expect.RolledOut())
		}, spec.Alone{})
}

// sacrificed tells of a deleted pod that it was available and that another pod, which is not, lives on beside it.
func sacrificed(o Occurrence) bool {
	return o.WasAvailable() && len(o.LivePodsBeside()) > 0 && o.AvailableBeside() == 0
}
