package recovery

import (
	"context"
	"fmt"
	"net/http"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// statusWrites are the specs of writes of the status that fail, after which nothing happens that would remind anybody.
func statusWrites() {
	failures := []relay.Fault{
		{Effect: relay.Refused{Code: http.StatusConflict}}, {Effect: relay.Refused{Code: http.StatusInternalServerError}, Count: 2},
		{Effect: relay.Refused{Code: http.StatusGatewayTimeout}}, {Effect: relay.LostAnswer{}},
	}
	spec.It("writes the status again that a conflict, two server errors in a row, a timeout or a lost answer kept it from writing",
		spec.Decides("RECOVERY-010"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2)[0]
			daemonSet := c.Deploy(ctx)
			pod := c.LivePodOn(ctx, daemonSet, node)
			for i, failure := range failures {
				failure.Of = statuses()
				c.SetFaults(ctx, failure)
				if i%2 == 0 {
					c.Pods.BecomeUnready(ctx, pod)
				} else {
					c.Pods.BecomeReady(ctx, pod)
				}
				c.AwaitAfter(ctx, 2*spec.Prompt, saysReady(daemonSet, int32(1+i%2)))
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Done(history.RefuseRequest)))
			// The fourth only meets who tries again after the second.
			j.Decide("RECOVERY-010", Tested(AtLeast(3, Done(history.RefuseRequest))), Tested(Exactly(1, Done(history.LoseAnswer))), Keeps("STATUS-004"), Keeps("STATUS-005"))
		}, spec.Alone{Relay: true}, spec.OneCause{})

	spec.It("waits as long as it is told before it writes a status again that was throttled, and writes it then",
		spec.Decides("RECOVERY-011"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2)[0]
			daemonSet := c.Deploy(ctx)
			throttled := relay.Refused{Code: http.StatusTooManyRequests, RetryAfter: 3 * time.Second}
			c.SetFaults(ctx, relay.Fault{Of: statuses(), Effect: throttled})
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, node))
			c.AwaitAfter(ctx, throttled.RetryAfter+2*spec.Prompt, saysReady(daemonSet, 1))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Began(history.ThrottleRequest)))
			j.Decide("RECOVERY-011", Exactly(1, Began(history.ThrottleRequest)), Keeps("STATUS-004"))
		}, spec.Alone{Relay: true}, spec.OneCause{})
}

// statuses are the writes of DaemonSets' statuses, whatever the verb.
func statuses() relay.Selector {
	return relay.Selector{Verbs: []string{"update", "patch"}, Resource: "daemonsets", Subresource: "status"}
}

// saysReady holds while the DaemonSet's status says that so many pods are Ready.
func saysReady(daemonSet *appsv1.DaemonSet, want int32) Condition {
	return state.When(fmt.Sprintf("the status says numberReady %d", want), func(cluster *history.Cluster) bool {
		now := cluster.DaemonSets[daemonSet.UID]
		return now != nil && now.Status.NumberReady == want
	})
}
