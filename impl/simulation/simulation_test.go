package simulation

import (
	"flag"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// TestMain picks the seed itself where none is given, so that every run can say which it was; rapid tells only that of a failure.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set(strconv.FormatInt(time.Now().UnixMicro(), 10)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// leastSteps is how much has to be simulated for the proof to count.
const leastSteps = 100_000

func TestThePlannerKeepsEveryPromise(t *testing.T) {
	t.Logf("seed: -rapid.seed=%s", flag.Lookup("rapid.seed").Value)
	var steps atomic.Int64
	exercised := exercise{times: map[requirements.ID]int{}}
	t.Run("while", func(t *testing.T) {
		for name, flavour := range map[string]flavour{
			"surging":             {strategies: surging()},
			"rolling":             {strategies: rolling()},
			"changing strategies": {strategies: everyStrategy(), deletes: true},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) {
					setup := drawSetup(t, flavour)
					schedule := drawSchedule(t, flavour)
					w := newWorld(setup, plan.Plan)
					err := w.live(schedule, flavour)
					verdicts := w.verdicts()
					steps.Add(int64(w.steps()))
					exercised.add(verdicts)
					if objection := judged(verdicts); objection != nil {
						err = objection
					}
					if err != nil {
						t.Fatalf("%v\n%+v\n%s", err, setup, schedule)
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
