package reports

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// Headline is the answer of the report in words, such as "my-controller is not conformant" or "my-controller, a partial run". See Judge and Why.
func Headline(report *ConformanceReport) string {
	return cmp.Or(paragraph.Printable(report.Implementation.Name), "the implementation") + label(Judge(report))
}

func label(answer Conformance) string {
	if answer == Partial {
		return ", a partial run"
	}
	return " is " + string(answer)
}

// Why says in one line why Judge gives the report its answer, and what cut the run short.
func Why(report *ConformanceReport) string {
	provenance := report.Provenance
	why := reason(Judge(report), report.Requirements)
	if provenance.Interrupted {
		why += "; the run was interrupted"
	}
	if provenance.EndedEarly != "" {
		why += "; the run ended early: " + paragraph.Printable(firstLine(provenance.EndedEarly))
	}
	if provenance.ImplementationFailure != "" && provenance.EndedEarly == "" {
		why += "; the implementation failed: " + paragraph.Printable(firstLine(provenance.ImplementationFailure))
	}
	if provenance.HarnessFailure != "" {
		why += "; the harness failed: " + paragraph.Printable(firstLine(provenance.HarnessFailure))
	}
	return why
}

func reason(answer Conformance, results []RequirementResult) string {
	counts := count(results)
	doubts := fmt.Sprintf("%d inconclusive", counts.Inconclusive) + named(results, func(r RequirementResult) bool { return r.Verdict == Inconclusive })
	switch {
	case answer == NotConformant:
		why := counted(counts.ItsOwn(), "requirement") + " failed" + named(results, func(r RequirementResult) bool { return r.Verdict == Fail && r.BrokenBy() == "" })
		if counts.Inconclusive > 0 {
			why += "; " + doubts
		}
		if counts.NotItsOwn > 0 {
			why += fmt.Sprintf("; Kubernetes itself breaks %d more", counts.NotItsOwn)
		}
		return why
	case answer == Conformant:
		return "every requirement that was decided passed" + exceptions(counts)
	case answer == Partial:
		return "every requirement that was selected passed" + exceptions(counts) + ", which says nothing about the others"
	case counts.Inconclusive > 0:
		return "none failed" + exceptions(counts) + "; " + doubts
	case counts.Decided() == 0:
		return "no requirement was decided"
	}
	return "none failed so far"
}

// exceptions are the failures that are not the implementation's, in words; empty if there are none.
func exceptions(counts Statistics) string {
	if counts.NotItsOwn == 0 {
		return ""
	}
	return fmt.Sprintf(" but for %d that Kubernetes itself breaks", counts.NotItsOwn)
}

// namesShown bounds the requirements that Why names, a run of consecutive ones as one.
const namesShown = 8

// named are the IDs of the requirements that are meant, to follow their number. A log that is cut off shows its last lines, so these say it.
func named(results []RequirementResult, meant func(RequirementResult) bool) string {
	var ids []ID
	for _, result := range results {
		if meant(result) {
			ids = append(ids, result.ID)
		}
	}
	names := ranges(ids)
	if hidden := len(names) - namesShown; hidden > 0 {
		names = append(names[:namesShown:namesShown], "and others")
	}
	return ": " + strings.Join(names, ", ")
}
