package revisions

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// refused is the spec of a history that cannot be created.
func refused() {
	spec.It("makes no pod of a template whose history is refused, and goes on once it is not",
		spec.Decides("HISTORY-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.RefuseRevisions(ctx)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			// Long enough for everybody to meet the refusal, and not for delays to become long.
			c.Await(ctx, Past(time.Now().Add(judge.Lag+time.Second)))
			c.AdmitRevisions(ctx)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-008",
				NeverBetween(Began(history.UpdateDaemonSet), Began(history.AdmitRevisions), PodCreated(OfVersion("v2"))),
				Before(Began(history.AdmitRevisions), ofVersion(RevisionCreated(), "v2")),
				EndsRolledOut())
		})
}
