package revisions

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The histories that the harness puts there.
const (
	orphan    = "orphan"
	elsewhere = "elsewhere"
	level     = "level"
)

// larger is by how much the number of a history is above the largest of a DaemonSet.
const larger = 100

// ownership are the specs of histories that nobody controls, and of such as lack their label.
func ownership() {
	spec.It("adopts the histories of its namespace that nobody controls and that match its selector, and labels those that lack their label",
		spec.Decides("HISTORY-013", "HISTORY-014"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			first := historyOf(ctx, c, daemonSet, "v1")
			// Of a template that it does not have, or it would be one too many.
			third := withVersion(first, "v1", "v3")
			c.CreateRevision(ctx, copyOf(c, third, orphan, orphan, 1))
			stranger := copyOf(c, third, elsewhere, elsewhere, 1)
			stranger.Namespace = c.Bystanders()
			c.CreateRevision(ctx, stranger)
			c.Await(ctx, adopted(orphan))
			c.UpdateRevision(ctx, first, func(revision *appsv1.ControllerRevision) { delete(revision.Labels, c.RevisionLabel()) })
			c.Await(ctx, state.All(adopted(orphan), allLabelled()))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-013", Tested(AtLeast(1, Done(history.UpdateRevision))), ComesToHold(allLabelled()))
			j.Decide("HISTORY-014",
				ComesToHold(adopted(orphan)),
				HoldsAtEnd(state.When("nobody controls the history in the other namespace", func(cluster *history.Cluster) bool {
					return !adopted(elsewhere).Holds(cluster)
				})))
		}, spec.Bystanders{})

	spec.It("gives the current history the largest number again, and deletes the oldest beyond the limit, once one with a larger number is adopted",
		spec.Decides("HISTORY-010", "HISTORY-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, keeping(1), MaxUnavailable("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			second := historyOf(ctx, c, daemonSet, "v2")
			c.CreateRevision(ctx, copyOf(c, withVersion(second, "v2", "v3"), orphan, orphan, second.Revision+larger))
			c.Await(ctx, adopted(orphan))
			c.Await(ctx, keeps("daemon", "v2", "v3"))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			// The largest number of all is one that no other has.
			second = historyOf(ctx, c, daemonSet, "v2")
			c.CreateRevision(ctx, copyOf(c, withVersion(second, "v2", "v4"), level, level, second.Revision))
			c.Await(ctx, adopted(level))
			c.Await(ctx, state.All(keeps("daemon", "v2", "v4"), numberedAbove(second.Name, second.Revision)))
			c.Await(ctx, Quiet(time.Second))
		}, nil)

	spec.It("keeps a history whose label somebody took away beyond the limit, while pods are of it",
		spec.Decides("HISTORY-017"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, OnDelete(), keeping(0))
			c.Require(ctx, "the controller has seen the template", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			c.UpdateRevision(ctx, historyOf(ctx, c, daemonSet, "v1"), func(revision *appsv1.ControllerRevision) { delete(revision.Labels, c.RevisionLabel()) })
			c.Await(ctx, allLabelled())
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-017", Tested(AtLeast(1, Done(history.UpdateRevision))), Never(RevisionDeleted()))
		})

	spec.It("adopts no history for a DaemonSet that is being deleted",
		spec.Decides("HISTORY-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx)
			c.HoldDaemonSet(ctx, daemonSet)
			c.DeleteDaemonSet(ctx, daemonSet, metav1.DeletePropagationBackground)
			// At once: who looks at a cache that is behind must not adopt it either.
			c.CreateRevision(ctx, copyOf(c, withVersion(historyOf(ctx, c, daemonSet, "v1"), "v1", "v3"), orphan, orphan, 1))
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-015", Tested(AtLeast(1, Done(history.CreateRevision))), HoldsAtEnd(state.When("nobody controls the history", func(cluster *history.Cluster) bool {
				return !adopted(orphan).Holds(cluster)
			})))
		})
}

// numberedAbove holds when the history has a larger number.
func numberedAbove(name string, number int64) Condition {
	return state.When(fmt.Sprintf("%s has a larger number than %d", name, number), func(cluster *history.Cluster) bool {
		revision := found(cluster, name)
		return revision != nil && revision.Revision > number
	})
}
