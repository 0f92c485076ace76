package kubelet

import (
	"context"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// drain is how long old pods take to end after SIGTERM.
const drain = 5 * time.Second

// signals are the specs of old pods that take their time to end.
func signals() {
	spec.It("lets an old pod drain for as long as it takes, and makes no third pod meanwhile",
		spec.Decides("KUBELET-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			c.RollOut(ctx, c.Deploy(ctx, MaxSurge("2"), DrainFor(drain)), Image("v2"))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(EndsRolledOut())
			j.Decide("KUBELET-005",
				// Less than drain, because a deletion that is heard of late makes the end seem early.
				OnEveryNode(NotWithin(drain-2*time.Second, PodDeleted(OfVersion("v1")), PodGone(OfVersion("v1")))),
				Never(PodGracePeriodShortened()),
				Never(rollouts.CutShort()),
				Never(PodCreated().Where("a third pod on its node", func(m Moment) bool { return len(m.PodsBeside()) > 1 })),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))))
		}, spec.RealNodes{})
}
