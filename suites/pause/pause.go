// Package pause has the specs of surge rollouts that cannot go on: they wait within maxSurge, keep the old pods, and hold nobody else up. That another
// template ends a pause is in package rollover.
package pause

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	unready()
	unscheduled()
	meanwhile()
	stalledMeanwhile()
	leaving()
	others()
	refusedBeside()
	namesakes()
	returned()
	restored()
}

// still is longer than a controller may be late.
const still = 3 * time.Second

// over is where the cause of a pause goes away.
const over history.Mark = "the pause is over"

// pause begins a rollout with the edits, whose pods do not become available, and waits until it stands still. Then it gives the controller a reason to look
// again, and waits as long once more.
func pause(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, edits ...Edit) *appsv1.DaemonSet {
	updated := c.Update(ctx, daemonSet, edits...)
	rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
	c.RequireReconciled(ctx, updated)
	c.Await(ctx, Quiet(still))
	c.Mark(over)
	return updated
}

// within are the promises of a rollout that stands still with maxSurge 1.
func within() []Matcher {
	old := PodDeleted(OfVersion("v1")).Where("available", Moment.WasAvailable)
	return []Matcher{
		NeverBetween(TemplateChanged(), Marked(over), Nth(2, besideOld())), Tested(AtLeast(1, besideOld())),
		NeverBetween(TemplateChanged(), Marked(over), old),
	}
}

// besideOld is the creation of an updated pod on a node that has a live one already: it takes something of maxSurge.
func besideOld() Event {
	return PodCreated(Updated()).BesideLivePod()
}
