package kubectl

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Where `kubectl rollout status` ends for each of the rollouts.
const (
	surged history.Mark = "kubectl has waited for the second rollout"
	rolled history.Mark = "kubectl has waited for the first rollout"
)

// printed is the name of what kubectl printed before the mark.
func printed(ended history.Mark) string { return "what it printed: " + string(ended) }

// status is the spec of `kubectl rollout status`.
func status() {
	spec.It("has kubectl rollout status wait until a rollout is over, and say so while its beginning has not been observed",
		spec.Decides("KUBECTL-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			daemonSet = waitFor(ctx, c, daemonSet, rolled, Image("v2"), ReadyAfter(time.Second))
			waitFor(ctx, c, daemonSet, surged, Image("v3"), surgeIfClaimed(c))
		},
		func(j *spec.Checks) {
			for _, rollout := range []struct {
				version string
				ended   history.Mark
			}{{"v2", rolled}, {"v3", surged}} {
				updated, ended := OfVersion(rollout.version), Marked(rollout.ended)
				j.Decide("KUBECTL-001",
					Printed("kubectl says at first that the update is yet to be observed, and at last that it is rolled out", problem(j.BoundAll(printed(rollout.ended)))),
					OnEveryNode(Before(PodCreated(updated), ended)),
					// With maxSurge an available old pod counts, which the last updated ones may be beside. The status may be as late as STATUS-001 lets it.
					OneOf(Before(ended, Last(PodAvailable(updated))), Within(judge.Lag+3*judge.Prompt, Last(PodAvailable(updated)), ended)))
			}
			j.Decide("KUBECTL-001", OnEveryNode(Before(PodAvailable(OfVersion("v2")), Marked(rolled))))
		}, spec.Alone{}, spec.AppsV1{}, spec.MainPath{})
}

// surgeIfClaimed has the next rollout surge, where the implementation claims to.
func surgeIfClaimed(c *spec.Case) Edit {
	if c.Claims(requirements.Surge) {
		return MaxSurge("1")
	}
	return MaxUnavailable("1")
}

// waitFor updates the DaemonSet while nobody is at work, has kubectl wait from then on, and binds what it printed.
func waitFor(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, ended history.Mark, edits ...Edit) *appsv1.DaemonSet {
	c.Kill(ctx)
	updated := c.Update(ctx, daemonSet, edits...)
	waiting := c.RolloutStatus(ctx, updated, ended)
	defer waiting.Stop()
	c.Await(ctx, state.When("kubectl has printed something", func(*history.Cluster) bool { return len(waiting.Lines()) > 0 }))
	c.Restart(ctx)
	c.Await(ctx, RolledOut(updated))
	c.Await(ctx, state.When("kubectl has ended", func(*history.Cluster) bool { return waiting.Ended() }))
	c.Bind(printed(ended), waiting.Lines()...)
	return updated
}

// problem says what is wrong with what `kubectl rollout status` printed, or nothing.
func problem(lines []string) string {
	const unobserved, over = "Waiting for daemon set spec update to be observed", "successfully rolled out"
	switch {
	case len(lines) == 0:
		return "kubectl printed nothing"
	case !strings.Contains(lines[0], unobserved):
		return fmt.Sprintf("its first line is %q", lines[0])
	case !strings.Contains(lines[len(lines)-1], over):
		return fmt.Sprintf("its last line is %q", lines[len(lines)-1])
	}
	return ""
}
