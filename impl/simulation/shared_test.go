package simulation

import (
	"os"
	"slices"
	"testing"
	"time"

	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
)

// everyStrategyThere is the flavour of schedules that real control planes play.
func everyStrategyThere() flavour {
	return flavour{strategies: everyStrategy(), gates: true, inPlace: true, crosses: true, tampers: true, stalls: true}
}

// asOnEmbedded is what a simulation of such a schedule begins with: pods are as quick there as on simulated nodes of a real control plane.
func asOnEmbedded(s shared.Schedule) setup {
	return setup{
		Shared: true, Nodes: s.Nodes, Strategy: s.Strategy, Form: s.Form, MinReadySeconds: int32(s.MinReadySeconds), HistoryLimit: 10, Lag: 50 * time.Millisecond,
		Pace: pace{Start: 300 * time.Millisecond, Stop: 300 * time.Millisecond},
	}
}

func TestTheSimulationHasEveryLever(t *testing.T) {
	all := acts(everyStrategyThere())
	for _, lever := range shared.Levers() {
		if !slices.ContainsFunc(all, func(a act) bool { return a.name == lever.Act }) {
			t.Errorf("there is no act %q", lever.Act)
		}
	}
}

// drawnSchedules is how many schedules of the generator are played.
const drawnSchedules = 40

func TestThePlannerKeepsEveryPromiseInDrawnSchedules(t *testing.T) {
	t.Parallel()
	for seed := range uint64(drawnSchedules) {
		keeps(t, shared.Draw(seed, shared.Levers()))
	}
}

// corpusFolder has the schedules that real control planes play in every run.
const corpusFolder = "../../suites/stress/corpus"

func TestThePlannerKeepsEveryPromiseInTheCorpus(t *testing.T) {
	t.Parallel()
	for _, s := range fixed(t) {
		keeps(t, s)
	}
}

// parsed is the schedule in a file.
func parsed(t *testing.T, path string) shared.Schedule {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := shared.Parse(string(text), shared.Levers())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return s
}

func keeps(t *testing.T, s shared.Schedule) {
	t.Helper()
	if objections, _ := newWorld(asOnEmbedded(s), reference).judged(s.Steps, everyStrategyThere()); len(objections) > 0 {
		t.Errorf("%v\n%s", objections[0], s)
	}
}
