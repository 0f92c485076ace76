package revisions

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The name that is taken, and where the rollout begins that wants it.
const (
	taken  = "the name that is taken"
	wanted = history.Mark("the rollout begins that wants the name")
)

// names are the specs of names that are taken by somebody else's history.
func names() {
	spec.It("takes a history with the same content under its name for its own",
		spec.Decides("HISTORY-005"),
		func(ctx context.Context, c *spec.Case) {
			take(ctx, c, func(revision *appsv1.ControllerRevision) *appsv1.ControllerRevision {
				return foreign(c, revision, revision.Data)
			})
		},
		func(j *spec.Checks) {
			collided := StatusWritten().Where("with a collision", func(m Moment) bool { return collisions(m) > 0 })
			j.Given(AtLeast(1, Marked(wanted)))
			j.Decide("HISTORY-005", EndsRolledOut(), Never(collided), Never(After(RevisionCreated(), Marked(wanted))))
		})

	spec.It("counts one collision when a history with other content has the name, and takes another name",
		spec.Decides("HISTORY-006", "HISTORY-007"),
		func(ctx context.Context, c *spec.Case) {
			take(ctx, c, func(revision *appsv1.ControllerRevision) *appsv1.ControllerRevision {
				other := []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"other"}},"spec":{"containers":[{"name":"other","image":"other:v1"}]}}}}`)
				return foreign(c, revision, runtime.RawExtension{Raw: other})
			})
		},
		func(j *spec.Checks) {
			name := j.Bound(taken)
			j.Given(AtLeast(1, Marked(wanted)))
			j.Decide("HISTORY-006",
				EndsRolledOut(),
				AtLeast(1, After(ofVersion(RevisionCreated(), "v2"), Marked(wanted)).Where("with another name", func(m Moment) bool {
					return m.Object.GetName() != name
				})),
				AtLeast(1, StatusWritten().Where("with a collision", func(m Moment) bool { return collisions(m) > 0 })),
				ComesToHold(reported()),
				Never(StatusWritten().Where("with two collisions or more", func(m Moment) bool { return collisions(m) > 1 })))
			j.Decide("HISTORY-007",
				Tested(AtLeast(1, StatusWritten().Where("with a collision", func(m Moment) bool { return collisions(m) > 0 }))),
				Never(StatusWritten().Where("with two collisions or more", func(m Moment) bool { return collisions(m) > 1 })))
		})
}

// take lets the DaemonSet use a template once, puts another history in place of that template's, and lets it use the template again.
func take(ctx context.Context, c *spec.Case, other func(*appsv1.ControllerRevision) *appsv1.ControllerRevision) {
	c.AddNodes(ctx, 2)
	daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
	c.RollOut(ctx, daemonSet, Image("v2"))
	c.RollOut(ctx, daemonSet, Image("v1"))
	c.Require(ctx, "the rollback is over", Quiet(time.Second))
	second := historyOf(ctx, c, daemonSet, "v2")
	c.Bind(taken, second.Name)
	c.DeleteRevision(ctx, second)
	c.Require(ctx, "it is gone", gone(second.Name))
	c.CreateRevision(ctx, other(second))
	c.Require(ctx, "everybody knows whose the name is", Quiet(time.Second))
	c.Mark(wanted)
	c.RollOut(ctx, daemonSet, Image("v2"))
	c.Await(ctx, reported())
	c.Await(ctx, Quiet(2*time.Second))
}

// foreign is a history of that name with the data that the DaemonSet does not find by its selector, and that nobody controls.
func foreign(c *spec.Case, revision *appsv1.ControllerRevision, data runtime.RawExtension) *appsv1.ControllerRevision {
	other := copyOf(c, revision, revision.Name, revision.Labels[c.RevisionLabel()], revision.Revision)
	other.Labels["app"], other.Data = "other", data
	return other
}

// collisions is the status's number of collisions.
func collisions(m Moment) int32 {
	return ptr.Deref(m.Object.(*appsv1.DaemonSet).Status.CollisionCount, 0)
}

// reported holds when the status says that all nodes are updated. The API server refuses one that takes a collision back, with all that it says.
func reported() Condition {
	return state.Right("the status says that all nodes are updated", func(cluster *history.Cluster) error {
		for _, daemonSet := range cluster.DaemonSets {
			status := daemonSet.Status
			if status.ObservedGeneration != daemonSet.Generation || status.UpdatedNumberScheduled != status.DesiredNumberScheduled {
				return fmt.Errorf("the status says that %d of %d nodes are updated, and observes generation %d of %d",
					status.UpdatedNumberScheduled, status.DesiredNumberScheduled, status.ObservedGeneration, daemonSet.Generation)
			}
		}
		return nil
	})
}
