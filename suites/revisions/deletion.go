package revisions

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// deletion are the specs of deleted DaemonSets and deleted histories.
func deletion() {
	// The next DaemonSet of that name has the generations of the one before, but other limits, and no pods.
	for _, next := range []struct {
		policy  metav1.DeletionPropagation
		limit   Edit
		decides requirements.ID
	}{
		{metav1.DeletePropagationBackground, MaxUnavailable("1"), "ROLLING-002"},
		{metav1.DeletePropagationForeground, MaxSurge("1"), "SURGE-012"},
	} {
		spec.It(fmt.Sprintf("leaves no pod and no history of a DaemonSet that is deleted with propagation %s", next.policy),
			spec.Decides("HISTORY-025", "HISTORY-009", next.decides),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 2)
				daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
				c.RollOut(ctx, daemonSet, Image("v2"))
				c.Require(ctx, "the rollout has come to rest", Quiet(time.Second))
				c.DeleteDaemonSet(ctx, daemonSet, next.policy)
				if c.Await(ctx, nothingLeft()) {
					again := c.Create(ctx, c.NewDaemonSet(daemonSet.Name, Image("v3"), next.limit))
					c.Await(ctx, Steady(again))
					c.RollOut(ctx, again, Image("v4"))
					c.DeleteDaemonSet(ctx, again, next.policy)
					c.Await(ctx, nothingLeft())
				}
				c.Await(ctx, Quiet(time.Second))
			},
			func(j *spec.Checks) {
				j.Decide("HISTORY-025", Tested(AtLeast(2, RevisionCreated())), Tested(AtLeast(2, PodCreated(OfVersion("v2")))), ComesToHold(nothingLeft()))
				j.Decide("HISTORY-009", Tested(AtLeast(6, PodCreated())), Never(PodUnidentified()), Never(PodMisnumbered()))
			})
	}

	spec.It("makes the current history again that was deleted by hand, and restarts no pod",
		spec.Decides("HISTORY-027"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "the rollout has come to rest", Quiet(time.Second))
			deleted := historyOf(ctx, c, daemonSet, "v2")
			c.DeleteRevision(ctx, deleted)
			c.Await(ctx, state.All(
				state.When("the deleted history is gone", func(cluster *history.Cluster) bool { return cluster.Revisions[deleted.UID] == nil }),
				keeps("daemon", "v2", "v1")))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, RevisionDeleted()))
			j.Decide("HISTORY-027",
				AtLeast(1, After(ofVersion(RevisionCreated(), "v2"), Began(history.DeleteRevision))), ComesToHold(keeps("daemon", "v2", "v1")),
				Never(PodDeleted(OfVersion("v2"))), Never(PodRestarted()))
		})
}

// nothingLeft holds when there is no DaemonSet, no history and no pod.
func nothingLeft() state.Condition {
	return state.Right("nothing is left", func(cluster *history.Cluster) error {
		if len(cluster.DaemonSets)+len(cluster.Revisions)+len(cluster.Pods) == 0 {
			return nil
		}
		return fmt.Errorf("%d DaemonSets, %d histories and %d pods are left", len(cluster.DaemonSets), len(cluster.Revisions), len(cluster.Pods))
	})
}
