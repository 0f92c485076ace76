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
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The name that is taken for a version, and the marks of the rollouts that need it.
const (
	taken      = "the name that is taken of "
	wanted     = history.Mark("the rollout begins that wants the name")
	wantedNext = history.Mark("the rollout begins that wants the next name")
)

// names are the specs of names that are taken by somebody else's history.
func names() {
	spec.It("takes a history with the same content under its name for its own",
		spec.Decides("HISTORY-005"),
		func(ctx context.Context, c *spec.Case) {
			take(ctx, c, deployOnTwo(ctx, c), "v2", wanted, func(revision *appsv1.ControllerRevision) *appsv1.ControllerRevision {
				return foreign(c, revision, revision.Data)
			})
		},
		func(j *spec.Checks) {
			collided := StatusWritten().Where("with a collision", func(m Moment) bool { return collisions(m) > 0 })
			j.Given(AtLeast(1, Marked(wanted)))
			j.Decide("HISTORY-005", EndsRolledOut(), Never(collided), Never(After(RevisionCreated(), Marked(wanted))))
		})

	spec.It("counts one collision when a history with other content has the name, and takes another name",
		spec.Decides("HISTORY-006", "HISTORY-007", "HISTORY-009", "API-020", "ROLLBACK-001"),
		func(ctx context.Context, c *spec.Case) {
			other := func(revision *appsv1.ControllerRevision) *appsv1.ControllerRevision {
				other := []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"other"}},"spec":{"containers":[{"name":"other","image":"other:v1"}]}}}}`)
				return foreign(c, revision, runtime.RawExtension{Raw: other})
			}
			daemonSet := deployOnTwo(ctx, c)
			take(ctx, c, daemonSet, "v2", wanted, other)
			take(ctx, c, daemonSet, "v3", wantedNext, other)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(wanted)), AtLeast(1, Marked(wantedNext)))
			j.Decide("HISTORY-006", AtLeast(1, renamed(j, "v2", wanted)), AtLeast(1, renamed(j, "v3", wantedNext)))
			for _, id := range []requirements.ID{"HISTORY-006", "HISTORY-007"} {
				j.Decide(id, Tested(AtLeast(1, withMoreThan(0))), NeverBetween(Marked(wanted), Marked(wantedNext), withMoreThan(1)), Never(withMoreThan(2)))
			}
			j.Decide("HISTORY-006", EndsRolledOut(), AtLeast(1, withMoreThan(0)), AtLeast(1, After(withMoreThan(1), Marked(wantedNext))), ComesToHold(reported()))
			// Some are of a template from before the first collision.
			for _, id := range []requirements.ID{"HISTORY-009", "API-020"} {
				j.Decide(id, Tested(AtLeast(1, After(PodCreated(OfVersion("v1")), withMoreThan(0)))), Never(PodUnidentified()))
			}
		})
}

// renamed is the creation of a history of the version, after the mark, with another name than the one that is taken.
func renamed(j *spec.Checks, version string, from history.Mark) Event {
	name := j.Bound(taken + version)
	return After(ofVersion(RevisionCreated(), version), Marked(from)).Where("with another name", func(m Moment) bool { return m.Object.GetName() != name })
}

// withMoreThan is a write of a status with more collisions than count.
func withMoreThan(count int32) Event {
	return StatusWritten().Where(fmt.Sprintf("with more collisions than %d", count), func(m Moment) bool { return collisions(m) > count })
}

// deployOnTwo deploys a DaemonSet to two nodes.
func deployOnTwo(ctx context.Context, c *spec.Case) *appsv1.DaemonSet {
	c.AddNodes(ctx, 2)
	return c.Deploy(ctx, MaxUnavailable("2"))
}

// take rolls the version out and back, replaces its history by another with the same name, marks that, and rolls the version out again.
func take(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, version string, from history.Mark,
	other func(*appsv1.ControllerRevision) *appsv1.ControllerRevision) {
	c.RollOut(ctx, daemonSet, Image(version))
	c.RollOut(ctx, daemonSet, Image("v1"))
	c.Require(ctx, "the rollback is over", Quiet(time.Second))
	mine := historyOf(ctx, c, daemonSet, version)
	c.Bind(taken+version, mine.Name)
	c.DeleteRevision(ctx, mine)
	c.Require(ctx, "it is gone", gone(mine.Name))
	c.CreateRevision(ctx, other(mine))
	c.Require(ctx, "everybody knows whose the name is", Quiet(time.Second))
	c.Mark(from)
	c.RollOut(ctx, daemonSet, Image(version))
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
