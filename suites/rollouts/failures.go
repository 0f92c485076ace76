package rollouts

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// AwaitFailures waits until enough updated pods have failed on that many nodes to tell a delay that does not grow, or until even a long one shows.
func AwaitFailures(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, nodes int) {
	c.Await(ctx, state.Any(PodsSeen(daemonSet, 11*nodes), Past(time.Now().Add(15*time.Second))))
}

// BacksOff asks that pods are created after growing delays and do not pile up. Nobody says how long the delays are: the shortest that are allowed here, after
// a first retry at once, begin with a tenth of a second, which is doubled each time, or with a quarter of one, which grows by half each time, so that there are
// 12 in a minute (SURGE-024). From the second pod on the first take 0.7 s until the fifth, 1.5 s until the sixth and 3.1 s until the seventh; the second 5.2 s until
// the eighth, and 8 s, 12.3 s and 18.7 s until the next three. Less is asked for, because an event that is heard of late makes what follows seem early.
func BacksOff(j *spec.Checks, id requirements.ID, created Event) {
	j.Given(AtLeast(2, created))
	j.Decide(id,
		NotWithin(400*time.Millisecond, Nth(2, created), Nth(5, created)),
		NotWithin(time.Second, Nth(2, created), Nth(6, created)),
		NotWithin(2500*time.Millisecond, Nth(2, created), Nth(7, created)),
		NotWithin(4*time.Second, Nth(2, created), Nth(8, created)),
		NotWithin(6500*time.Millisecond, Nth(2, created), Nth(9, created)),
		NotWithin(10*time.Second, Nth(2, created), Nth(10, created)),
		NotWithin(14*time.Second, Nth(2, created), Nth(11, created)),
		Never(created.Where(fmt.Sprintf("with more than %d pods on its node that have ended", mostEnded), func(m Moment) bool { return endedBeside(m) > mostEnded })))
}

// mostEnded are the pods that have ended and that a node may hold (SURGE-024): nobody has to delete one before he makes the next beside it.
const mostEnded = 10

// endedBeside counts the DaemonSet's other pods on the pod's node that have ended, and that nobody has deleted.
func endedBeside(m Moment) int {
	return len(slices.DeleteFunc(m.PodsBeside(), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil || history.IsLive(pod) }))
}
