package united

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// pair are two UnitedDaemonSets of one target, in the order in which they are created, and the image tags of their subsets.
type pair struct {
	target string
	names  [2]string
	tags   [2]string
}

// pairs are created in both orders of their names.
func pairs() []pair {
	all := make([]pair, 4)
	for i := range all {
		all[i] = pair{
			target: fmt.Sprintf("daemon-%d", i),
			names:  [2]string{fmt.Sprintf("a-%d", i), fmt.Sprintf("b-%d", i)},
			tags:   [2]string{fmt.Sprintf("v%d", 10+i), fmt.Sprintf("v%d", 20+i)},
		}
		if i%2 == 1 {
			slices.Reverse(all[i].names[:])
		}
	}
	return all
}

// twins is the spec of two UnitedDaemonSets whose creation timestamps are the same second.
func twins() {
	spec.It("lets one of two UnitedDaemonSets of one target have it, and the same one all the time, when both were created within one second",
		spec.Decides("UNITED-036"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			var steady []Condition
			for _, p := range pairs() {
				steady = append(steady, Steady(c.Create(ctx, c.NewDaemonSet(p.target, MaxUnavailable("1")))))
			}
			c.Await(ctx, state.All(steady...))
			for _, p := range pairs() {
				unite := func(i int) {
					name := p.names[i]
					if _, err := c.TryUnite(ctx, name, c.NewUnited(name, p.target, OnNodes(Subset("of-"+name, c.ImagePatch(p.tags[i])), nodes[i]))); err != nil {
						c.CannotDecide("the API server refuses one of two UnitedDaemonSets of a target: " + err.Error())
					}
				}
				c.Await(ctx, secondBegins())
				unite(0)
				c.Await(ctx, state.Any(inEffect(p.tags[0]), secondEnds()))
				unite(1)
			}
			for _, p := range pairs() {
				c.Await(ctx, state.Any(decided(p, 0), decided(p, 1)))
			}
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
		},
		func(j *spec.Checks) {
			for _, p := range pairs() {
				j.Decide("UNITED-036",
					OneOf(Never(DaemonSetCreated(p.tags[0])), Never(DaemonSetCreated(p.tags[1]))),
					OneOf(HoldsAtMark(united, decided(p, 0)), HoldsAtMark(united, decided(p, 1))))
			}
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// decided holds when that one of the pair is in effect, and the other says that it is not.
func decided(p pair, which int) Condition {
	return state.All(state.UnitedPlaced(p.names[which]), tells(p.names[1-which], p.names[which], p.target))
}

// inEffect holds when there is a DaemonSet of a subset with that image tag.
func inEffect(tag string) Condition {
	return state.When("there is a DaemonSet of "+tag, func(cluster *history.Cluster) bool {
		for _, ds := range cluster.DaemonSets {
			if history.HasTag(&ds.Spec.Template.Spec, tag) {
				return true
			}
		}
		return false
	})
}

// What is created at once, after secondBegins and before secondEnds hold, has the creation timestamp of this second, unless the machine is very slow.
func secondBegins() Condition {
	return state.When("a second has just begun", func(cluster *history.Cluster) bool { return intoSecond(cluster) < 150*time.Millisecond })
}

func secondEnds() Condition {
	return state.When("the second is soon over", func(cluster *history.Cluster) bool { return intoSecond(cluster) > 700*time.Millisecond })
}

func intoSecond(cluster *history.Cluster) time.Duration {
	return cluster.Time.Sub(cluster.Time.Truncate(time.Second))
}
