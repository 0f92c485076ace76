package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/goldentest"
)

// unseenFile lists the situations of core rules that no golden recording of the reference shows yet: each is a scenario that is still to be written.
const unseenFile = recordings + "/unseen.txt"

// TestGoldenSituations keeps the list of those that are not true: it must neither grow unnoticed nor hold what is seen by now.
func TestGoldenSituations(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	verdicts := eachOf(t, "reference*", func(_ string, h *history.History) judge.Verdicts { return judge.Run(h, rules.All()) })
	for _, ruled := range slices.Concat(verdicts...) {
		for _, situation := range ruled.Situations {
			seen[line(ruled.Requirement, situation)] = true
		}
	}
	var unseen []string
	for _, rule := range rules.All() {
		requirement, _ := catalogue.Get(rule.Requirement)
		for _, situation := range rule.Situations {
			if requirement.Level == reports.LevelCore && !seen[line(rule.Requirement, situation.Name)] {
				unseen = append(unseen, line(rule.Requirement, situation.Name))
			}
		}
	}
	slices.Sort(unseen)
	goldentest.Equal(t, unseenFile, strings.Join(unseen, "\n")+"\n")
}

func line(id requirements.ID, situation string) string { return fmt.Sprintf("%s %s", id, situation) }
