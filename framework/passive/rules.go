package passive

import (
	"fmt"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

// Rules returns the standing rules that are fair where nobody but the controller itself says what it did: prohibitions of creations and deletions of pods, of
// which evidence tells that they were the controller's, and of what a status says. Nothing is due: an observer does not see whether the controller was at work.
func Rules() []judge.Rule {
	all := slices.DeleteFunc(rules.All(), func(rule judge.Rule) bool { return !slices.Contains(fair(), rule.Requirement) })
	for i := range all {
		all[i] = judge.Prohibited(all[i])
	}
	return all
}

func fair() []requirements.ID {
	return []requirements.ID{
		"AVAIL-001", "DRAIN-003", "ONDELETE-001", "ROLLING-002", "ROLLING-007", "ROLLING-009", "ROLLING-010", "ROLLING-013", "ROLLOVER-001", "STATUS-006", "STATUS-007", "STATUS-013",
		"SURGE-002", "SURGE-006", "SURGE-008", "SURGE-009", "SURGE-010", "SURGE-016", "TARGET-001", "TARGET-004", "UNREADY-006",
	}
}

// Judge judges a recording of `rollcall watch`, or several joined, by the rules that are fair there.
func Judge(h *history.History) judge.Verdicts {
	Attribute(h)
	return JudgeAttributed(h)
}

// JudgeAttributed is Judge for a recording whose entries have their authors.
func JudgeAttributed(h *history.History) judge.Verdicts {
	verdicts := judge.Run(h, Rules())
	for i := range verdicts {
		verdict := &verdicts[i]
		found := len(verdict.Violations)
		verdict.Violations = slices.DeleteFunc(verdict.Violations, unsure(begun(h.Entries, h.Start)))
		if found > 0 && len(verdict.Violations) == 0 {
			verdict.Outcome = judge.Inconclusive
			verdict.Reason = fmt.Sprintf("what seems to break it happened within %s of the recording's beginning: a change before that may have allowed it", judge.Lag)
		}
	}
	return verdicts
}

// unsure reports of violations whether what changed before the recording began may excuse them: a controller may act for that long by what was before.
func unsure(begun time.Time) func(judge.Violation) bool {
	return func(v judge.Violation) bool { return v.Time.Sub(begun) < judge.Lag }
}
