package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/verdict"
	"github.com/rollcall-conformance/rollcall/reports"
)

// answers are all the ways in which up to two checks can answer.
var answers = [][]verdict.Answer{
	nil,
	{{}}, {{Broken: true}}, {{Untested: "t1"}},
	{{}, {}}, {{}, {Broken: true}}, {{}, {Untested: "t2"}},
	{{Broken: true}, {Broken: true}}, {{Broken: true}, {Untested: "t2"}}, {{Untested: "t1"}, {Untested: "t2"}}, {{Untested: "t1"}, {}},
}

// TestEveryCombination goes through all 352 combinations of reasons and answers and asks for the first rule that applies.
func TestEveryCombination(t *testing.T) {
	for mask := range 1 << 5 {
		said := func(bit int, reason string) string {
			if mask&(1<<bit) == 0 {
				return ""
			}
			return reason
		}
		for _, given := range answers {
			e := verdict.Evidence{
				Unclaimed: said(0, "unclaimed"), Impossible: said(1, "impossible"), Aborted: said(2, "aborted"),
				Incomplete: said(3, "incomplete"), Unmet: said(4, "unmet"), Answers: given,
			}
			got, reason := verdict.Of(e)
			want, why := expected(e)
			if got != want || !strings.Contains(reason, why) || (got == reports.Pass || got == reports.Fail) != (reason == "") {
				t.Errorf("%+v: %s (%s), want %s (%s)", e, got, reason, want, why)
			}
		}
	}
}

// expected says the rules once more, as a table of what is looked for in which order.
func expected(e verdict.Evidence) (reports.Verdict, string) {
	text := fmt.Sprintf("%+v", e.Answers)
	for _, rule := range []struct {
		applies bool
		verdict reports.Verdict
		why     string
	}{
		{e.Unclaimed != "", reports.Unsupported, "unclaimed"},
		{strings.Contains(text, "Broken:true"), reports.Fail, ""},
		{e.Impossible != "", reports.NotRun, "impossible"},
		{e.Aborted != "", reports.Inconclusive, "aborted"},
		{e.Incomplete != "", reports.Inconclusive, "incomplete"},
		{e.Unmet != "", reports.Inconclusive, "unmet"},
		{len(e.Answers) == 0, reports.Inconclusive, "nothing in the recording"},
		{strings.Contains(text, "Untested:t1"), reports.Inconclusive, "t1"},
		{strings.Contains(text, "Untested:t2"), reports.Inconclusive, "t2"},
	} {
		if rule.applies {
			return rule.verdict, rule.why
		}
	}
	return reports.Pass, ""
}

func TestAReasonIsGivenOnce(t *testing.T) {
	_, reason := verdict.Of(verdict.Evidence{Answers: []verdict.Answer{{Untested: "no pod was deleted"}, {Untested: "no pod was deleted"}}})
	if reason != "no pod was deleted" {
		t.Errorf("got %q", reason)
	}
}
