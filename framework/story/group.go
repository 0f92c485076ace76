package story

import (
	"cmp"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Finding is what one recording shows of one requirement: the first violation, and the others that it leads.
type Finding struct {
	// Violation that came first, by its event.
	judge.Violation
	// More are the requirement's other violations, in the order of their events.
	More []judge.Violation
	// SameEventAs is the requirement whose finding shows the same event; empty if this one shows it.
	SameEventAs requirements.ID
	// AlsoBreaks are the requirements whose findings refer to this one.
	AlsoBreaks []requirements.ID
}

// Group makes findings of the violations in one recording: one per requirement, in the order in which the requirements first appear. Of findings
// that begin with the same event the first shows it, and the others refer to that. What the API server answered is no event: nothing is said about
// two answers being the same.
func Group(violations []judge.Violation) []Finding {
	var order []requirements.ID
	of := map[requirements.ID][]judge.Violation{}
	for _, v := range violations {
		if len(of[v.Requirement]) == 0 {
			order = append(order, v.Requirement)
		}
		of[v.Requirement] = append(of[v.Requirement], v)
	}
	findings := make([]Finding, 0, len(order))
	for _, id := range order {
		all := of[id]
		slices.SortStableFunc(all, func(a, b judge.Violation) int { return cmp.Compare(a.ResourceVersion, b.ResourceVersion) })
		finding := Finding{Violation: all[0], More: all[1:]}
		same := func(earlier Finding) bool { return earlier.SameEventAs == "" && sameEvent(earlier.Violation, all[0]) }
		if teller := slices.IndexFunc(findings, same); teller >= 0 {
			finding.SameEventAs = findings[teller].Requirement
			findings[teller].AlsoBreaks = append(findings[teller].AlsoBreaks, id)
		}
		findings = append(findings, finding)
	}
	return findings
}

// sameEvent reports whether one event broke both promises or, where no event did, one state: what is overdue is so at times that differ by judge.Lag, as a
// rule allows for that and a matcher need not.
func sameEvent(a, b judge.Violation) bool {
	return a.Time.Sub(b.Time).Abs() <= judge.Lag && a.ResourceVersion > 0 && a.ResourceVersion == b.ResourceVersion && a.Node == b.Node && (len(a.Window) == 0) == (len(b.Window) == 0)
}

// Findings returns the violations in one recording as a report carries them: one per requirement, as Group leads and refers.
func Findings(h *history.History, violations []judge.Violation, options Options) []reports.Violation {
	var shown []reports.Violation
	for _, finding := range Group(violations) {
		led := report(h, finding.Violation, options, refersByNumber(finding.Violation) || slices.ContainsFunc(finding.More, refersByNumber))
		led.AlsoBreaks, led.SameEventAs = finding.AlsoBreaks, finding.SameEventAs
		if led.SameEventAs != "" {
			led.Window, led.Picture, led.Budgets, led.Log = nil, nil, nil, nil
		}
		for _, v := range finding.More {
			led.More = append(led.More, brief(v, finding.Violation))
		}
		shown = append(shown, led)
	}
	return shown
}

// brief leaves out what the violation that leads says alike.
func brief(v, leader judge.Violation) reports.Further {
	further := reports.Further{Node: v.Node, ResourceVersion: v.ResourceVersion}
	if v.Promise != leader.Promise {
		further.Promise = v.Promise
	}
	if v.Got != leader.Got {
		further.Got = v.Got
	}
	return further
}
