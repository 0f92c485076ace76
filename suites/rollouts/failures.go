package rollouts

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// AwaitFailures waits until enough updated pods have failed on that many nodes to tell a delay that does not grow, or until even a long one shows.
func AwaitFailures(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes int) {
	c.Await(ctx, state.Any(PodsSeen(daemonSet, 9*nodes), Past(time.Now().Add(15*time.Second))))
}

// BacksOff asks that pods are created after growing delays and do not pile up. Nobody says how long the delays are: the shortest that is allowed here
// begins with a tenth of a second, which is doubled each time, and with a first retry at once. From the second pod on those take 0.7 s until the fifth, 1.5 s
// until the sixth, and 3.1 s, 6.3 s and 12.7 s until the next three. Less is asked for, because an event that is heard of late makes what follows seem early.
func BacksOff(j *spec.Checks, id requirements.ID, created Event) {
	j.Given(AtLeast(2, created))
	j.Decide(id,
		NotWithin(400*time.Millisecond, Nth(2, created), Nth(5, created)),
		NotWithin(time.Second, Nth(2, created), Nth(6, created)),
		NotWithin(2500*time.Millisecond, Nth(2, created), Nth(7, created)),
		NotWithin(5500*time.Millisecond, Nth(2, created), Nth(8, created)),
		NotWithin(11*time.Second, Nth(2, created), Nth(9, created)),
		Never(created.Where("with more than two other pods on its node", func(m Moment) bool { return len(m.PodsBeside()) > 2 })))
}
