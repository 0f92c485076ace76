package simulation

import (
	"testing"

	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// lawfulSchedules is how many drawn schedules each lawful planner has to live through, beside those of the corpus.
const lawfulSchedules = 5

// TestLawfulPlannersKeepEveryRuleUnderSchedules proves that STRESS-001 leaves alone who keeps the promises in another way than the reference. The rules decide, as
// there: where a planner ends is its own affair as far as no rule says anything.
func TestLawfulPlannersKeepEveryRuleUnderSchedules(t *testing.T) {
	schedules := fixed(t)
	for seed := range uint64(lawfulSchedules) {
		schedules = append(schedules, shared.Draw(seed, shared.Levers()))
	}
	for _, lawful := range variants.Lawful() {
		if lawful.Planner == nil {
			continue
		}
		t.Run(lawful.Name, func(t *testing.T) {
			t.Parallel()
			for _, s := range schedules {
				_, verdicts := newWorld(asOnEmbedded(s), lawful.Planner).judged(s.Steps, everyStrategyThere())
				if objections := objectionsOf(verdicts); len(objections) > 0 {
					t.Errorf("%v\n%s", objections[0], s)
				}
			}
		})
	}
}
