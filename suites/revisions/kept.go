package revisions

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// kept is the spec of histories that cannot be deleted.
func kept() {
	spec.It("rolls two templates out and serves a node that joins while no history can be deleted, and deletes those beyond the limit once they can",
		spec.Decides("HISTORY-029"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, keeping(0), MaxUnavailable("1"))
			c.KeepRevisions(ctx)
			// The first rollout leaves a history that is to go: whoever stops there makes no pod of the next.
			c.Await(ctx, RolledOut(c.Update(ctx, daemonSet, Image("v2"))))
			c.AddNodes(ctx, 1)
			c.Await(ctx, RolledOut(c.Update(ctx, daemonSet, Image("v3"))))
			c.LetRevisionsGo(ctx)
			c.Await(ctx, RolledOut(c.Update(ctx, daemonSet, Image("v4"))))
			c.Await(ctx, histories(1))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.KeepRevisions)), NeverBetween(Done(history.KeepRevisions), Began(history.LetRevisionsGo), RevisionDeleted()))
			j.Decide("HISTORY-029", EndsRolledOut(), ComesToHold(histories(1)))
			for _, version := range []string{"v3", "v4"} {
				j.Decide("HISTORY-029", OnEveryNode(Exactly(1, PodCreated(OfVersion(version)))))
			}
		})
}
