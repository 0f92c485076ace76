package simulation

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/seedtest"
)

// checks is the number of simulations of each flavour where no flag says another: enough for leastSteps, and few enough for a slow machine.
const checks = "60"

// TestMain gives rapid a seed where none is given, so that every run can say which it was; rapid tells only that of a failure.
func TestMain(m *testing.M) {
	os.Exit(seedtest.Main(func() int {
		// A simulation makes much garbage and keeps little.
		debug.SetGCPercent(400)
		if err := seedtest.Preset("rapid.checks", "100", checks); err != nil {
			panic(err)
		}
		return m.Run()
	}))
}

// reference is the planner as it is.
func reference(next plan.Planner) plan.Planner { return next }

// leastSteps is how much has to be simulated for the proof to count.
const leastSteps = 100_000

// named is a flavour with a name.
type named struct {
	name    string
	flavour flavour
}

func flavours() []named {
	return []named{
		{"surging", flavour{strategies: surging()}},
		{"rolling", flavour{strategies: rolling()}},
		{"changing strategies", flavour{strategies: everyStrategy(), deletes: true}},
		{"switching the gate", flavour{strategies: surging(), gates: true}},
		{"updating in place", flavour{strategies: rolling(), inPlace: true}},
		{"updates in place cross each other", flavour{strategies: rolling(), inPlace: true, crosses: true}},
		{"somebody tampers with revisions", flavour{strategies: everyStrategy(), tampers: true}},
		{"owners change", flavour{strategies: everyStrategy(), owners: true, deletes: true}},
		{"odd things happen", flavour{strategies: append(everyStrategy(), bothLimits()...), odd: true}},
		{"rollouts stall", flavour{strategies: everyStrategy(), stalls: true}},
		{"in place or not", flavour{strategies: everyStrategy(), deletes: true, gates: true, inPlace: true, crosses: true}},
	}
}

func TestThePlannerKeepsEveryPromise(t *testing.T) {
	t.Logf("seed: -rapid.seed=%s", flag.Lookup("rapid.seed").Value)
	var steps atomic.Int64
	exercised := exercise{times: map[requirements.ID]int{}}
	t.Run("while", func(t *testing.T) {
		for _, of := range flavours() {
			t.Run(of.name, func(t *testing.T) {
				t.Parallel()
				flavour := of.flavour
				rapid.Check(t, func(t *rapid.T) {
					setup := drawSetup(t, flavour)
					schedule := drawSchedule(t, flavour)
					w := newWorld(setup, reference)
					objections, verdicts := w.judged(schedule, flavour)
					steps.Add(int64(w.steps()))
					exercised.add(verdicts)
					if len(objections) > 0 {
						t.Fatalf("%v\n%+v\n%s", objections[0], setup, schedule)
					}
				})
			})
		}
	})
	t.Logf("%d steps; promises put to the test, by simulations: %v", steps.Load(), exercised.times)
	if !t.Failed() && steps.Load() < leastSteps {
		t.Errorf("simulated only %d steps, want %d: raise -rapid.checks", steps.Load(), leastSteps)
	}
	if never := exercised.never(); !t.Failed() && len(never) > 0 {
		t.Errorf("no simulation put these promises to the test: %v", never)
	}
}

func TestASimulationIsRepeatedByItsSeed(t *testing.T) {
	everything := flavour{strategies: everyStrategy(), deletes: true}
	drawn := rapid.Custom(func(t *rapid.T) simulation { return simulation{drawSetup(t, everything), drawSchedule(t, everything)} })
	for i := range 5 {
		var told [2][]string
		for run := range told {
			s := drawn.Example(i)
			w := newWorld(s.setup, reference)
			if err := w.live(s.schedule, everything); err != nil {
				t.Fatal(err)
			}
			for _, entry := range w.api.entries {
				told[run] = append(told[run], fmt.Sprint(entry.Received, entry.ResourceVersion, tell(entry)))
			}
		}
		if !slices.Equal(told[0], told[1]) {
			t.Errorf("the same seed gave two histories, of %d and %d entries", len(told[0]), len(told[1]))
		}
	}
}
