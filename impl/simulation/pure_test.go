package simulation

import (
	"fmt"
	"reflect"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// purePasses is for how many passes a planner is watched: it must not change what it is shown, which is the cache.
const purePasses = 40

// planned is what the planner wants done.
func (c *controller) planned(p *process, state plan.State) plan.Actions {
	if c.passes > purePasses {
		return p.plan(state, c.clock.now)
	}
	var before []history.Object
	shown := shownIn(state)
	for _, object := range shown {
		before = append(before, object.DeepCopyObject().(history.Object))
	}
	actions := p.plan(state, c.clock.now)
	for i, object := range shown {
		if !same(before[i], object) {
			panic(fmt.Sprintf("the planner changed %s, which is in a cache", object.GetName()))
		}
	}
	return actions
}

// same is semantic equality. Nearly all that means the same is written the same, which is found in a tenth of the time.
func same(a, b any) bool { return reflect.DeepEqual(a, b) || apiequality.Semantic.DeepEqual(a, b) }

// shownIn are the objects that a planner is shown.
func shownIn(state plan.State) []history.Object {
	all := []history.Object{state.DaemonSet}
	for _, pod := range state.Pods {
		all = append(all, pod)
	}
	for _, revision := range state.Revisions {
		all = append(all, revision)
	}
	return all
}
