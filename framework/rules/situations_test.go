package rules_test

import (
	"slices"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

func TestEveryRuleNamesItsSituations(t *testing.T) {
	for _, rule := range rules.All() {
		var names []string
		for _, situation := range rule.Situations {
			if slices.Contains(names, situation.Name) {
				t.Errorf("%s names %q twice", rule.Requirement, situation.Name)
			}
			names = append(names, situation.Name)
		}
		if len(names) == 0 || len(names) > judge.MostSituations {
			t.Errorf("%s names %d situations, want 1 to %d", rule.Requirement, len(names), judge.MostSituations)
		}
	}
}
