package status

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// over is where the status had to say that a rollout is over.
const over history.Mark = "the rollout is over, and the status had to say so"

// rollout are the specs of what the status says once a rollout is over.
func rollout() {
	for _, strategy := range []struct {
		with  string
		edits []Edit
	}{
		{"maxUnavailable", []Edit{MaxUnavailable("1")}},
		{"a percentage of maxUnavailable", []Edit{MaxUnavailable("50%"), MinReadySeconds(1)}},
	} {
		spec.It("says that a rollout is over when it is, and not before, with "+strategy.with,
			spec.Decides("STATUS-016"),
			func(ctx context.Context, c *spec.Case) { rollOut(ctx, c, strategy.edits...) },
			func(j *spec.Checks) {
				saysOver(j)
				j.Decide("STATUS-016", Never(StatusWritten().Where("that says the rollout is over while an old pod lives on", tooEarly)))
			})
	}

	spec.It("says that a rollout is over when it is, with maxSurge",
		spec.Decides("STATUS-016"),
		func(ctx context.Context, c *spec.Case) { rollOut(ctx, c, MaxSurge("2")) }, saysOver)
}

// limitsBack is the spec of a limit that is changed during a rollout, and changed back.
func limitsBack() {
	spec.It("observes each change of a limit that is changed and changed back during a rollout, and says that the rollout is over when it is",
		spec.Decides("STATUS-010", "STATUS-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			rolling := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			rolling = c.Update(ctx, rolling, MaxUnavailable("2"))
			// It observes this one before the next comes.
			rollouts.Settle(ctx, c, rolling, UpdatedOn(2, rolling))
			rolling = c.Update(ctx, rolling, MaxUnavailable("1"))
			c.AwaitAfter(ctx, settling, Processed(rolling))
			rollouts.Finish(ctx, c, rolling)
			c.AwaitAfter(ctx, settling, state.All(says(rolling, desired(4), updated(4), available(4)), Processed(rolling)))
			c.Mark(over)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(3, Done(history.UpdateDaemonSet)))
			saysOver(j)
		})
}

// surgeTakenAway is the spec of numbers that all nodes have because of two pods each, of which one is to go.
func surgeTakenAway() {
	spec.It("does not say that a rollout is over where surge is taken away while no updated pod is available",
		spec.Decides("STATUS-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			rolling := c.Update(ctx, c.Deploy(ctx, MaxSurge("2")), Image("v2"), NeverReady())
			c.Require(ctx, "an updated pod stands beside each old one", PodsPerNode(rolling, 2))
			c.AwaitAfter(ctx, settling, says(rolling, desired(2), updated(2), available(2)))
			c.Mark(takenAway)
			without := c.Update(ctx, rolling, MaxUnavailable("1"))
			c.Await(ctx, PodsPerNode(without, 1))
			c.Await(ctx, Processed(without))
			c.Mark(mended)
			c.RollOut(ctx, without, Image("v3"), Healthy())
		},
		func(j *spec.Checks) {
			j.Decide("STATUS-016", Tested(AtLeast(1, Between(PodDeleted(OfVersion("v2")), Marked(takenAway), Marked(mended)))),
				Never(StatusWritten().Where("of a DaemonSet without surge, that says the rollout is over while an old pod lives on", func(m Moment) bool {
					return !surges(m.Object.(*appsv1.DaemonSet)) && tooEarly(m)
				})))
		})
}

// surges reports whether maxSurge is a number above zero.
func surges(ds *appsv1.DaemonSet) bool {
	rolling := ds.Spec.UpdateStrategy.RollingUpdate
	return rolling != nil && rolling.MaxSurge != nil && rolling.MaxSurge.IntValue() > 0
}

// Where the strategy loses maxSurge, and where a template comes whose pods become Ready.
const (
	takenAway history.Mark = "surge is taken away"
	mended    history.Mark = "a template whose pods become Ready"
)

func rollOut(ctx context.Context, c *spec.Case, edits ...Edit) {
	c.AddNodes(ctx, 3)
	rolling := c.Update(ctx, c.Deploy(ctx, edits...), Image("v2"))
	c.Await(ctx, RolledOut(rolling))
	c.AwaitAfter(ctx, settling, state.All(says(rolling, desired(3), updated(3), available(3)), Processed(rolling)))
	c.Mark(over)
}

// saysOver asks that the status came to say so.
func saysOver(j *spec.Checks) {
	j.Given(EndsRolledOut())
	j.Decide("STATUS-016", Before(After(StatusWritten(), TemplateChanged()).Where("that says the rollout is over", func(m Moment) bool {
		return isOver(m.Object.(*appsv1.DaemonSet))
	}), Marked(over)))
}

// isOver reports whether the status says that the rollout of the newest generation is over.
func isOver(ds *appsv1.DaemonSet) bool {
	s := ds.Status
	return s.ObservedGeneration == ds.Generation && s.DesiredNumberScheduled > 0 &&
		s.UpdatedNumberScheduled == s.DesiredNumberScheduled && s.NumberAvailable == s.DesiredNumberScheduled
}

// tooEarly reports whether the status says so while an old pod is neither terminating nor at its end.
func tooEarly(m Moment) bool {
	return isOver(m.Object.(*appsv1.DaemonSet)) && len(m.LivePods(Old())) > 0
}
