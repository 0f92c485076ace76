package simulation

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/hack/mutation/mutant"
)

var (
	mutants     = flag.Int("mutants", 0, "how many mutants the code has: play everything once, and say which are met where")
	mutantIs    = flag.Int("mutant", 0, "the mutant to try in -plays")
	played      = flag.String("plays", "", "the simulations to play, by their places, with commas between")
	mutantSteps = flag.Int("mutant-steps", 40_000, "after how many steps of drawn simulations a mutant counts as survived")
)

// drawnForMutants is how many simulations are drawn of each flavour.
const drawnForMutants = 40

// play is one simulation that mutants are tried in.
type play struct {
	name    string
	flavour flavour
	drawn   func() simulation
}

// as is what is always the same.
func as(s simulation) func() simulation { return func() simulation { return s } }

// family is what it has in common with those that are like it: the first part of its name.
func (p play) family() string {
	first, _, _ := strings.Cut(p.name, "/")
	return first
}

// plays are always the same, in the same order.
func plays(t *testing.T) []play {
	t.Helper()
	all := make([]play, 0, 300)
	paths, err := filepath.Glob(filepath.Join(corpusFolder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d schedules in %s: %v", len(paths), corpusFolder, err)
	}
	for _, path := range paths {
		s := parsed(t, path)
		all = append(all, play{mutant.Corpus + "/" + filepath.Base(path), everyStrategyThere(), as(simulation{asOnEmbedded(s), s.Steps})})
	}
	for _, rare := range rarePlanners() {
		all = append(all, play{fmt.Sprintf("%s/%s", mutant.Rare, rare.named[0]), rareFlavour(), as(rare.simulation)})
	}
	for _, known := range knownScenarios() {
		all = append(all, play{mutant.Known + "/" + strings.ReplaceAll(known.name, " ", "-"), known.flavour, as(simulation{known.setup, known.schedule})})
	}
	for seed := range uint64(drawnSchedules) {
		s := shared.Draw(seed, shared.Levers())
		all = append(all, play{fmt.Sprintf("drawn/%d", seed), everyStrategyThere(), as(simulation{asOnEmbedded(s), s.Steps})})
	}
	for _, of := range flavours() {
		drawn := rapid.Custom(func(t *rapid.T) simulation { return simulation{drawSetup(t, of.flavour), drawSchedule(t, of.flavour)} })
		for i := range drawnForMutants {
			all = append(all, play{
				fmt.Sprintf("%s/%d", strings.ReplaceAll(of.name, " ", "-"), i), of.flavour, func() simulation { return drawn.Example(i) },
			})
		}
	}
	return all
}

// TestMutants is how hack/mutation has a planner with mutants judged, one in each process.
func TestMutants(t *testing.T) {
	switch {
	case *mutants > 0:
		trace(t, *mutants)
	case *mutantIs > 0:
		tryMutant(t, *mutantIs)
	default:
		t.Skip("the planner has no mutants: hack/mutation makes them")
	}
}

// trace plays everything with no mutant on. Nothing may object to that.
func trace(t *testing.T, most int) {
	t.Helper()
	for _, play := range plays(t) {
		mutant.Trace(most)
		drawn := play.drawn()
		w := newWorld(drawn.setup, reference)
		if objections, _ := w.judged(drawn.schedule, play.flavour); len(objections) > 0 {
			t.Fatalf("%s, with no mutant on: %v", play.name, objections[0])
		}
		say(t, mutant.Play{Name: play.name, Flavour: play.family(), Steps: w.steps(), Met: mutant.Met()})
	}
}

// tryMutant plays until anything objects, or the planner cannot go on.
func tryMutant(t *testing.T, number int) {
	t.Helper()
	all := plays(t)
	mutant.Select(number)
	var trial mutant.Trial
	steps := 0
	for _, place := range strings.Split(*played, ",") {
		i, err := strconv.Atoi(place)
		if err != nil || i < 0 || i >= len(all) {
			t.Fatalf("-plays: %q is no place of %d", place, len(all))
		}
		trial.Plays++
		taken := tryIn(all[i], &trial)
		if !mutant.Made(all[i].family()) {
			steps += taken
		}
		if trial.Rule != "" || trial.End != "" || trial.Panic != "" || steps > *mutantSteps {
			break
		}
	}
	say(t, trial)
}

// tryIn plays one simulation, and returns how much that was.
func tryIn(play play, trial *mutant.Trial) (steps int) {
	defer func() {
		if problem := recover(); problem != nil {
			trial.Panic, trial.Play = strings.SplitN(fmt.Sprint(problem), "\n", 2)[0], play.name
		}
	}()
	drawn := play.drawn()
	w := newWorld(drawn.setup, reference)
	end := w.live(drawn.schedule, play.flavour)
	for _, verdict := range judge.Run(w.api.history(drawn.setup.Seed), standing()) {
		if len(verdict.Violations) > 0 {
			trial.Rule, trial.Play = string(verdict.Requirement), play.name
			return w.steps()
		}
	}
	var unsettled brokenPromise
	if errors.As(end, &unsettled) {
		trial.End, trial.Play = string(unsettled.requirement), play.name
	}
	return w.steps()
}

// say prints a line for hack/mutation.
func say(t *testing.T, what any) {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stdout, "%s%s\n", mutant.Prefix, text)
}
