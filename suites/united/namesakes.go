package united

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// namesake is the UnitedDaemonSet in the other namespace, whose target has the name of this one's.
const namesake = "namesake"

// longNames is the spec of names that, put together, are longer than values and keys of labels may be.
func longNames() {
	spec.It("makes the DaemonSets of subsets, and labels the nodes, however long the names of the target, the UnitedDaemonSet and the subsets are",
		spec.Decides("UNITED-011", "UNITED-015", "UNITED-022"),
		func(ctx context.Context, c *spec.Case) {
			addNodes(ctx, c, "a", "b", "c")
			ds := c.NewDaemonSet(target, MaxUnavailable("1"))
			ds.Name += strings.Repeat("-target", 20)
			ds = c.Create(ctx, ds)
			c.Require(ctx, "the target is on every node", Steady(ds))
			first, second := strings.Repeat("s", validation.LabelValueMaxLength-1)+"1", strings.Repeat("s", validation.LabelValueMaxLength-1)+"2"
			u := c.NewUnited(longName(), ds.Name, Where(Subset(first, c.ImagePatch("v2")), zone, "a"), Where(Subset(second, c.ImagePatch("v3")), zone, "b"))
			if _, err := c.TryUnite(ctx, u.Name, u); err != nil {
				c.CannotDecide("the API server refuses names that are as long as names may be: " + err.Error())
			}
			c.Await(ctx, state.All(state.UnitedPlaced(u.Name), state.UnitedDaemonSets(u.Name), state.UnitedLabelled(u.Name)))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
		},
		func(j *spec.Checks) {
			j.Decide("UNITED-011", HoldsAtMark(united, state.UnitedLabelled(longName())))
			j.Decide("UNITED-015", HoldsAtMark(united, state.UnitedDaemonSets(longName())))
			j.Decide("UNITED-022", HoldsAtMark(united, state.UnitedSingle(longName())))
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// longName is as long as that of an object may be.
func longName() string { return strings.Repeat("u", validation.DNS1123SubdomainMaxLength) }

// namesakes is the spec of two targets of one name, in two namespaces.
func namesakes() {
	spec.It("gives each of two targets of one name, in two namespaces, the nodes of its own subsets",
		spec.Decides("UNITED-005", "UNITED-008", "UNITED-022", "UNITED-027"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b")
			here := c.Deploy(ctx, MaxUnavailable("1"))
			elsewhere := c.NewDaemonSet(here.Name, MaxUnavailable("1"))
			elsewhere.Namespace = c.Bystanders()
			c.Require(ctx, "the pods in the other namespace are available", Steady(c.Create(ctx, elsewhere)))
			c.Unite(ctx, here, OnNodes(Subset("canary", c.ImagePatch("v2")), nodes[0]))
			other := c.NewUnited(namesake, here.Name, OnNodes(Subset("canary", c.ImagePatch("v3")), nodes[1]))
			other.Namespace = c.Bystanders()
			if _, err := c.TryUnite(ctx, other.Name, other); err != nil {
				c.CannotDecide("the API server refuses one of two UnitedDaemonSets: " + err.Error())
			}
			c.Await(ctx, state.All(state.UnitedPlaced(name), state.UnitedPlaced(namesake)))
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
		},
		func(j *spec.Checks) {
			for _, one := range []string{name, namesake} {
				j.Decide("UNITED-005", HoldsAtMark(united, state.UnitedPlaced(one)))
				j.Decide("UNITED-008", HoldsAtMark(united, state.UnitedPlaced(one)))
				j.Decide("UNITED-022", HoldsAtMark(united, state.UnitedSingle(one)))
			}
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{}, spec.Bystanders{})
}

// sameTogether is the spec of two families in one namespace whose names, each put together with that of a subset, are the same.
func sameTogether() {
	spec.It("keeps two families in one namespace apart whose names make the same when those of their subsets are added",
		spec.Decides("UNITED-008", "UNITED-011", "UNITED-015", "UNITED-022"),
		func(ctx context.Context, c *spec.Case) {
			nodes := addNodes(ctx, c, "a", "b", "c")
			first := c.Deploy(ctx, MaxUnavailable("1"))
			second := c.NewDaemonSet(first.Name+"-x", MaxUnavailable("1"))
			c.Require(ctx, "the pods of the other target are available", Steady(c.Create(ctx, second)))
			c.Unite(ctx, first, OnNodes(Subset("x-y", c.ImagePatch("v2")), nodes[0]), Where(Subset("y", c.ImagePatch("v3")), zone, "b"))
			longer := c.NewUnited(name+"-x", second.Name, OnNodes(Subset("y", c.ImagePatch("v4")), nodes[0]), Where(Subset("x-y", c.ImagePatch("v5")), zone, "c"))
			if _, err := c.TryUnite(ctx, longer.Name, longer); err != nil {
				c.CannotDecide("the API server refuses one of two UnitedDaemonSets: " + err.Error())
			}
			c.Await(ctx, bothPlaced())
			c.Await(ctx, Quiet(silence))
			c.Mark(united)
			// It leaves a subset of one family for one of the other.
			relabel(ctx, c, nodes[2], "b")
			c.Await(ctx, bothPlaced())
			c.Await(ctx, Quiet(silence))
			c.Mark(changed)
		},
		func(j *spec.Checks) {
			for _, mark := range []history.Mark{united, changed} {
				for _, one := range []string{name, name + "-x"} {
					j.Decide("UNITED-008", HoldsAtMark(mark, state.UnitedPlaced(one)))
					j.Decide("UNITED-011", HoldsAtMark(mark, state.UnitedLabelled(one)))
					j.Decide("UNITED-015", HoldsAtMark(mark, state.UnitedDaemonSets(one)))
					j.Decide("UNITED-022", HoldsAtMark(mark, state.UnitedSingle(one)))
				}
			}
		}, spec.SimulatedNodes{}, kinds(), spec.AppsV1{})
}

// bothPlaced holds when the nodes have the pods of both families that they should have, and the labels.
func bothPlaced() Condition {
	return state.All(state.UnitedPlaced(name), state.UnitedPlaced(name+"-x"), state.UnitedLabelled(name), state.UnitedLabelled(name+"-x"))
}
