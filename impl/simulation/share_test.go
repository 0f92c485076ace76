package simulation

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

var share = flag.Uint64("share", 0, "how many drawn schedules to try on every broken planner, beside the corpus")

// TestShareOfBrokenPlannersCaught says which of the broken planners the corpus and that many drawn schedules show to be broken, by whatever promise, and which
// they do not: for these, schedules lack an act, or a promise has no rule.
func TestShareOfBrokenPlannersCaught(t *testing.T) {
	if *share == 0 {
		t.Skip("nobody asks")
	}
	left := slices.DeleteFunc(variants.Broken(), func(v variants.Variant) bool { return v.Planner == nil })
	all := len(left)
	try := func(by string, schedules []shared.Schedule) {
		before := len(left)
		left = slices.DeleteFunc(left, func(v variants.Variant) bool {
			return slices.ContainsFunc(schedules, func(s shared.Schedule) bool {
				objections, _ := newWorld(asOnEmbedded(s), v.Planner).judged(s.Steps, everyStrategyThere())
				return len(objections) > 0
			})
		})
		t.Logf("%s: %d more of %d", by, before-len(left), all)
	}
	try("the corpus", fixed(t))
	var drawn []shared.Schedule
	for seed := range *share {
		drawn = append(drawn, shared.Draw(seed, shared.Levers()))
	}
	try(fmt.Sprintf("%d drawn schedules", *share), drawn)
	var lines []string
	for _, v := range left {
		lines = append(lines, fmt.Sprintf("%s %v: %s", v.Name, v.Breaks, v.Says))
	}
	t.Logf("%d are not caught:\n%s", len(left), strings.Join(lines, "\n"))
}

// fixed are the schedules of the corpus.
func fixed(t *testing.T) []shared.Schedule {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(corpusFolder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d schedules in %s: %v", len(paths), corpusFolder, err)
	}
	all := make([]shared.Schedule, len(paths))
	for i, path := range paths {
		all[i] = parsed(t, path)
	}
	return all
}
