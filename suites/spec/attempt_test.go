package spec

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestAScenarioIsPlayedAgainOnlyWhereAStandstillAloneKeptItFromDeciding(t *testing.T) {
	standstill := history.Standstill{From: time.Second, Until: 3 * time.Second}
	attempted := func(change func(a *attempt), verdicts ...reports.Verdict) attempt {
		a := attempt{judgement: Judgement{history: &history.History{Standstills: []history.Standstill{standstill}}}}
		for _, verdict := range verdicts {
			a.judgement.Outcomes = append(a.judgement.Outcomes, reports.Outcome{Verdict: verdict})
		}
		if change != nil {
			change(&a)
		}
		return a
	}
	for what, test := range map[string]struct {
		attempt attempt
		again   bool
	}{
		"undecided":           {attempted(nil, reports.Pass, reports.Inconclusive), true},
		"all decided":         {attempted(nil, reports.Pass, reports.Unsupported), false},
		"something failed":    {attempted(nil, reports.Inconclusive, reports.Fail), false},
		"no standstill":       {attempted(func(a *attempt) { a.judgement.history.Standstills = nil }, reports.Inconclusive), false},
		"no recording":        {attempted(func(a *attempt) { a.judgement.history = nil }, reports.Inconclusive), false},
		"the harness failed":  {attempted(func(a *attempt) { a.failure = errors.New("it could not put back") }, reports.Inconclusive), false},
		"the run ended early": {attempted(func(a *attempt) { a.judgement.Outcomes[0].Reason = EndedEarly + "it ended" }, reports.Inconclusive), false},
		"it had ended itself": {attempted(func(a *attempt) { a.judgement.history.Health = &history.Health{Ended: "exit status 2"} }, reports.Inconclusive), false},
		"a wait of its machine": {attempted(func(a *attempt) {
			a.judgement.history.Standstills, a.judgement.history.Health = nil, &history.Health{Waits: []history.Standstill{{Until: time.Second, Waited: time.Second}}}
		}, reports.Inconclusive), true},
	} {
		t.Run(what, func(t *testing.T) { NewWithT(t).Expect(test.attempt.heldUp()).To(Equal(test.again)) })
	}
}
