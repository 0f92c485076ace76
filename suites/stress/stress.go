// Package stress has the specs of everything at once: schedules of acts, judged by the standing rules. One is drawn from the run's seed, those of the corpus are
// in the repository, each for what it shows.
package stress

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// scheduled is the name of the schedule in a recording.
const scheduled = "the schedule"

// Specs registers the family.
func Specs() {
	register("breaks no promise while pods, nodes, the template, the strategy and its own process change at random, and settles afterwards",
		func(c *spec.Case) schedule.Schedule { return schedule.Draw(uint64(c.Seed()), schedule.Levers()) },
		func(h *history.History) string {
			return fmt.Sprintf("%d random acts; the same again with -seed=%d", len(h.Bindings[scheduled]), h.Seed)
		}, spec.Alone{}, spec.MainPath{})
	for _, named := range corpus() {
		// Where control planes are dear, specs that are Alone wait for each other.
		if text := "breaks no promise, and settles: " + named.Title; named.OnController() {
			registerFixed(text, named, alone(named))
		} else {
			registerFixed(text, named)
		}
	}
	given, err := Given()
	if err != nil {
		panic(fmt.Sprintf("%s: %v", FolderVariable, err))
	}
	// Each process that runs specs registers them in the same order. They are played in it, since there may not be the time for all.
	for i, name := range slices.Sorted(maps.Keys(given)) {
		registerFixed(Exploring+name, given[name], alone(given[name]), ginkgo.SpecPriority(len(given)-i))
	}
}

func alone(s schedule.Schedule) spec.Alone { return spec.Alone{Relay: s.OnRequests()} }

func registerFixed(text string, s schedule.Schedule, decorators ...any) {
	register(text, func(*spec.Case) schedule.Schedule { return s }, nil, decorators...)
}

// register registers a spec that plays the schedule.
func register(text string, choose func(*spec.Case) schedule.Schedule, observe func(*history.History) string, decorators ...any) {
	spec.It(text, decides(),
		func(ctx context.Context, c *spec.Case) {
			chosen := choose(c)
			c.Bind(scheduled, lines(chosen)...)
			p := &player{Case: c}
			p.play(ctx, chosen)
			c.Await(ctx, RolledOut(p.daemonSet))
			c.Await(ctx, Quiet(spec.Prompt))
		},
		func(j *spec.Checks) {
			check(j)
			if observe != nil {
				j.Observe(observe)
			}
		}, append(decorators, spec.SimulatedNodes{}, spec.Long{})...)
}

func decides() []requirements.ID { return spec.Decides("STRESS-001") }

func check(j *spec.Checks) {
	j.Decide("STRESS-001", KeepsEveryRule(requirements.DaemonSet, requirements.Surge), EndsRolledOut())
}

// Explored returns the spec that made a recording of `rollcall explore`; nil if none did.
func Explored(scenario string) *spec.Spec {
	if NameOf(scenario) == "" {
		return nil
	}
	return &spec.Spec{Text: scenario, Decides: decides(), Check: check}
}

// NameOf is the name of the schedule that `rollcall explore` had played in the scenario; empty if that is another.
func NameOf(scenario string) string {
	_, name, _ := strings.Cut(scenario, Exploring)
	return name
}
