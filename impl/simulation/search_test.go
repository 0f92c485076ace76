package simulation

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
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
