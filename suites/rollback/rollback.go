// Package rollback has the specs of rollouts that are taken back to an earlier template.
package rollback

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// back is where the template becomes the earlier one again.
const back history.Mark = "rollback"

// rolledBackOn is how many nodes the scenarios take.
var rolledBackOn = NodeCount{Least: 3, Likes: 5}

// limitFor is maxSurge, or maxUnavailable, on that many nodes: once one is done, another one has to wait.
func limitFor(nodes int) int { return nodes / 2 }

// What the scenarios choose.
const (
	first   = "the ControllerRevision of the first template"
	largest = "the largest revision before the rollback"
)

// Specs registers the family.
func Specs() {
	spec.It("returns to the pods that are there when the rollout is rolled back half way",
		spec.Decides("ROLLBACK-001", "ROLLBACK-002", "ROLLBACK-003", "ROLLBACK-004", "SURGE-007", "SURGE-011", "SURGE-016"),
		func(ctx context.Context, c *spec.Case) { halfWay(ctx, c, MaxSurge) },
		func(j *spec.Checks) {
			rolledBack(j)
			surged := PodDeleted(OfVersion("v2")).Where("not available", func(m Moment) bool { return !m.WasAvailable() })
			// The pods of v1 are updated and available again, so those of v2 beside them are to go. The rule bounds the time, from when their history is current.
			j.Decide("SURGE-007", AtLeast(1, After(surged, Marked(back))))
			j.Decide("SURGE-011", EndsRolledOut())
			j.Decide("ROLLBACK-003", EndsRolledOut(), untouched(), noMore(), AtLeast(1, After(surged, Marked(back))))
			keepsLimit(j, "the last such pod of its node", func(m Moment) bool { return m.AvailableBeside() == 0 })
		}, spec.MainPath{})

	spec.It("replaces the pods of the abandoned revision, and no others, when the rollout is rolled back half way",
		spec.Decides("ROLLBACK-001", "ROLLBACK-002", "ROLLBACK-004", "ROLLING-001", "ROLLING-002", "ROLLING-013"),
		func(ctx context.Context, c *spec.Case) { halfWay(ctx, c, MaxUnavailable) },
		func(j *spec.Checks) {
			rolledBack(j)
			limit := limitFor(j.Nodes(rolledBackOn))
			j.Decide("ROLLING-001", EndsRolledOut(), noMore())
			keepsLimit(j, "leaving more nodes than maxUnavailable without one", func(m Moment) bool { return m.Desired()-(m.AvailableBefore()-1) > limit })
		})

	meanwhile()
	twice()
	handedOver()
	withoutRollout()
	onCordonedNodes()
	onLeavingHistory()
	onDoubledHistory()
	withOwner()
}

// halfWay rolls a rollout back when one node has an available pod of the new template, others one that is not available, and the rest none.
func halfWay(ctx context.Context, c *spec.Case, strategy func(limit string) Edit) {
	limit := limitFor(len(c.TakeNodes(ctx, rolledBackOn)))
	daemonSet := c.Deploy(ctx, strategy(strconv.Itoa(limit)), DrainFor(time.Second))
	before := bindFirst(ctx, c, daemonSet)
	updated := rollouts.Stall(ctx, c, daemonSet, "v2", limit)
	c.BecomeReadyInTurn(ctx, updated, 1)
	rollouts.Settle(ctx, c, updated, UpdatedOn(limit+1, updated))
	number := bindLargest(ctx, c, daemonSet)
	c.Mark(back)
	c.RollOut(ctx, updated, Edit{Says: "the template of before", Apply: restore(daemonSet.Spec.Template)})
	c.Await(ctx, renumbered(before, number))
	c.Await(ctx, Quiet(2*time.Second))
}

// bindFirst binds the name of the DaemonSet's only ControllerRevision, and returns it.
func bindFirst(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) *appsv1.ControllerRevision {
	revisions := revisionsOf(ctx, c, daemonSet)
	if len(revisions) != 1 {
		c.CannotDecide(fmt.Sprintf("the DaemonSet has %d ControllerRevisions and not the one of its only template, which the check looks for (see API-020, HISTORY-001)", len(revisions)))
	}
	c.Bind(first, revisions[0].Name)
	return revisions[0]
}

// bindOldest binds the name of the DaemonSet's ControllerRevision with the smallest number, and returns it.
func bindOldest(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) *appsv1.ControllerRevision {
	revisions := revisionsOf(ctx, c, daemonSet)
	if len(revisions) == 0 {
		c.CannotDecide("the DaemonSet has no ControllerRevision (see API-020, HISTORY-001)")
	}
	oldest := slices.MinFunc(revisions, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	c.Bind(first, oldest.Name)
	return oldest
}

// bindLargest binds the largest revision that there is, and returns it.
func bindLargest(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) int64 {
	number := largestOf(ctx, c, daemonSet)
	c.Bind(largest, strconv.FormatInt(number, 10))
	return number
}

// largestOf is the largest revision that there is.
func largestOf(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) (number int64) {
	for _, revision := range revisionsOf(ctx, c, daemonSet) {
		number = max(number, revision.Revision)
	}
	return number
}

// renumbered holds once the ControllerRevision has a larger number, or is gone.
func renumbered(revision *appsv1.ControllerRevision, number int64) Condition {
	return state.When("the history has its new number", func(cluster *history.Cluster) bool {
		now := cluster.Revisions[revision.UID]
		return now == nil || now.Revision > number
	})
}

// rolledBack asks what holds in a rollback with any strategy.
func rolledBack(j *spec.Checks) {
	j.Given(Before(First(PodAvailable(OfVersion("v2"))), Marked(back)))
	reused(j)
	j.Decide("ROLLBACK-002", untouched(), Never(After(PodRestarted(OfVersion("v1")), Marked(back))))
}

// reused asks ROLLBACK-001: that the history of the first template is the one of the rollback, with a larger number than all others.
func reused(j *spec.Checks) {
	name := j.Bound(first)
	// A list of what is asked, without a recording, has no number.
	number, _ := strconv.ParseInt(j.Bound(largest), 10, 64)
	raised := RevisionRenumbered().Where(fmt.Sprintf("%s above %d", name, number), func(m Moment) bool {
		revision, ok := m.Object.(*appsv1.ControllerRevision)
		return ok && revision.Name == name && revision.Revision > number
	})
	j.Decide("ROLLBACK-001", AtLeast(1, After(raised, Marked(back))), Never(After(RevisionCreated(), Marked(back))))
}

// keepsLimit asks ROLLBACK-004: after the rollback no available pods are deleted that are too many.
func keepsLimit(j *spec.Checks, text string, tooMany func(Moment) bool) {
	available := PodDeleted().Where("available", Moment.WasAvailable)
	j.Decide("ROLLBACK-004",
		Never(After(available.Where(text, tooMany), Marked(back))),
		Tested(AtLeast(1, After(available, Marked(back)))))
}

// untouched asks that no pod is deleted that is of the template that the rollback goes back to.
func untouched() Matcher { return Never(After(PodDeleted(OfVersion("v1")), Marked(back))) }

// noMore asks that no pod is created of the template that the rollback abandons.
func noMore() Matcher { return Never(After(PodCreated(OfVersion("v2")), Marked(back))) }

// restore puts the template back.
func restore(template corev1.PodTemplateSpec) func(*appsv1.DaemonSet) {
	return func(d *appsv1.DaemonSet) { d.Spec.Template = *template.DeepCopy() }
}

// revisionsOf are the ControllerRevisions of the DaemonSet.
func revisionsOf(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) []*appsv1.ControllerRevision {
	var owned []*appsv1.ControllerRevision
	c.Look(ctx, func(cluster *history.Cluster) {
		for _, revision := range cluster.Revisions {
			if metav1.IsControlledBy(revision, daemonSet) {
				owned = append(owned, revision.DeepCopy())
			}
		}
	})
	return owned
}
