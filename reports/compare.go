package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// Change is a requirement that has another verdict in one report than in another, or the same one from fewer specs.
type Change struct {
	Requirement Requirement
	// Before is empty for a requirement that the first report's catalogue does not have.
	Before, After Verdict
	// Reason for After.
	Reason string
	// Lost are specs that had a say before, were to have one and did not run: see Compare.
	Lost []SpecNotRun
	// Worse: see Compare.
	Worse bool
}

// Compare returns what differs in the second report from the first, in the order of the catalogue.
//
// A change is worse if the requirement fails now and did not, also where it was not decided before, or if it passed and now is inconclusive or no longer
// claimed. What Kubernetes itself breaks is never worse. What was not run in either report is no change: it was not selected, or the cluster cannot show it.
//
// Where both reports are of the same Subject and the second run was whole, a spec that ran and now did not, though it was selected, is worse, too: the verdict says less
// than it did.
func Compare(before, after *ConformanceReport) []Change {
	was := map[ID]RequirementResult{}
	for _, result := range before.Requirements {
		was[result.ID] = result
	}
	alike := Subject(before) == Subject(after) && !after.Provenance.CutShort()
	var changes []Change
	for _, now := range after.Requirements {
		then, known := was[now.ID]
		var lost []SpecNotRun
		if alike {
			lost = lostOf(then, now)
		}
		if len(lost) == 0 && (then.Verdict == now.Verdict || now.Verdict == NotRun || known && then.Verdict == NotRun && now.Verdict != Fail) {
			continue
		}
		changes = append(changes, Change{
			Requirement: now.Requirement, Before: then.Verdict, After: now.Verdict, Reason: now.Reason, Lost: lost,
			Worse: now.Verdict == Fail && then.Verdict != Fail && now.BrokenBy() == "" || then.Verdict == Pass && (now.Verdict == Inconclusive || now.Verdict == Unsupported) || len(lost) > 0,
		})
	}
	return changes
}

// String says what changed in one paragraph.
func (c Change) String() string {
	var text strings.Builder
	was := "new"
	if c.Before != "" {
		was = "was " + string(c.Before)
	}
	fmt.Fprintf(&text, "%s %s, is %s", c.Requirement.Name(), was, c.After)
	for _, spec := range c.Lost {
		fmt.Fprintf(&text, "; %q ran, and does not now: %s", spec.Spec, spec.Reason)
	}
	return text.String()
}

// lostOf are the specs that ran before, and were to run now.
func lostOf(then, now RequirementResult) []SpecNotRun {
	return slices.DeleteFunc(slices.Clone(now.SpecsNotRun), func(s SpecNotRun) bool { return Unasked(s.Reason) || !slices.Contains(then.Specs, s.Spec) })
}

// Subject is what a report is of: an implementation, a version of Kubernetes, and a provider. The implementation's own version is left out: reports of two versions
// are what is compared.
func Subject(report *ConformanceReport) string {
	provenance := report.Provenance
	return fmt.Sprintf("%s, Kubernetes %s, provider %s", paragraph.Printable(report.Implementation.Name), provenance.KubernetesVersion, provenance.Provider)
}

// AnyWorse reports whether one of the changes is.
func AnyWorse(changes []Change) bool {
	return slices.ContainsFunc(changes, func(change Change) bool { return change.Worse })
}
