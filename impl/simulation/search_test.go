package simulation

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

var (
	search   = flag.String("search", "", "folder to write schedules to that bring about what -unseen lists")
	searched = flag.Uint64("searched", 2000, "how many schedules to try")
	several  = flag.Int("several", 6, "how many situations a schedule has to reach at first; then fewer")
	unseen   = flag.String("unseen", "../../suites/testdata/golden/unseen.txt", "the situations that no golden recording shows, a line each")
)

// TestSearch looks for schedules that reach situations which no spec does, several each, and makes each as small as it gets: candidates for the corpus.
func TestSearch(t *testing.T) {
	if *search == "" {
		t.Skip("nobody searches")
	}
	text, err := os.ReadFile(*unseen)
	if err != nil {
		t.Fatal(err)
	}
	wanted := strings.Split(strings.TrimSpace(string(text)), "\n")
	for least := *several; least > 0; least-- {
		for seed := range *searched {
			drawn := shared.Draw(seed, shared.Levers())
			shows := common(wanted, reached(drawn))
			if len(shows) < least {
				continue
			}
			smallest := shared.Minimize(drawn, func(candidates []shared.Schedule) (int, bool) {
				return slices.IndexFunc(candidates, func(s shared.Schedule) bool { return len(common(shows, reached(s))) == len(shows) }), true
			})
			smallest.Title = strings.Join(shows, "; ")
			wanted = slices.DeleteFunc(wanted, func(other string) bool { return slices.Contains(shows, other) })
			if err := os.WriteFile(filepath.Join(*search, fmt.Sprintf("seed-%d.txt", seed)), []byte(smallest.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Logf("seed %d, %d acts: %s", seed, len(smallest.Steps), smallest.Title)
		}
	}
	t.Logf("not reached:\n%s", strings.Join(wanted, "\n"))
}

// common are those of the first list that the second has, too.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(one string) bool { return !slices.Contains(b, one) })
}

// reached are the situations in which the schedule puts rules to the test, in the simulation.
func reached(s shared.Schedule) []string {
	_, verdicts := newWorld(asOnEmbedded(s), reference).judged(s.Steps, everyStrategyThere())
	var all []string
	for _, verdict := range verdicts {
		for _, situation := range verdict.Situations {
			all = append(all, situationOf(verdict.Requirement, situation))
		}
	}
	return all
}

func situationOf(id requirements.ID, name string) string { return fmt.Sprintf("%s %s", id, name) }

var kill = flag.String("kill", "", "broken variants, separated by commas: schedules that show what they break are written to the folder of -search")

// TestSearchForBroken looks for a schedule in which a broken planner is caught by a requirement that it names, and makes it as small as it gets: a candidate for the
// corpus, which real control planes play.
func TestSearchForBroken(t *testing.T) {
	if *search == "" || *kill == "" {
		t.Skip("nobody searches")
	}
	for _, name := range strings.Split(*kill, ",") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planner := brokenVariant(t, name)
			for seed := range *searched {
				drawn := shared.Draw(seed, shared.Levers())
				if !catches(drawn, planner) {
					continue
				}
				smallest := shared.Minimize(drawn, func(candidates []shared.Schedule) (int, bool) {
					return slices.IndexFunc(candidates, func(s shared.Schedule) bool { return catches(s, planner) }), true
				})
				smallest.Title = strings.TrimSuffix(planner.Says, ".")
				if err := os.WriteFile(filepath.Join(*search, name+".txt"), []byte(smallest.String()), 0o600); err != nil {
					t.Fatal(err)
				}
				t.Logf("seed %d, %d acts", seed, len(smallest.Steps))
				return
			}
			t.Errorf("none of %d schedules shows it", *searched)
		})
	}
}

// brokenVariant is the broken planner of that name.
func brokenVariant(t *testing.T, name string) variants.Variant {
	t.Helper()
	all := variants.Broken()
	i := slices.IndexFunc(all, func(v variants.Variant) bool { return v.Name == name && v.Planner != nil })
	if i < 0 {
		t.Fatalf("there is no broken planner %q", name)
	}
	return all[i]
}

// catches reports whether the schedule shows that the planner breaks a promise that it names.
func catches(s shared.Schedule, broken variants.Variant) bool {
	objections, _ := newWorld(asOnEmbedded(s), broken.Planner).judged(s.Steps, everyStrategyThere())
	return slices.ContainsFunc(objections, func(objection error) bool {
		var promise brokenPromise
		return errors.As(objection, &promise) && slices.Contains(broken.Breaks, string(promise.requirement))
	})
}
