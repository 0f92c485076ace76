package reports

import "slices"

// Change is a requirement that has another verdict in one report than in another.
type Change struct {
	Requirement Requirement
	// Before is empty for a requirement that the first report's catalogue does not have.
	Before, After Verdict
	// Reason for After.
	Reason string
	// Worse: see Compare.
	Worse bool
}

// Compare returns what differs in the second report from the first, in the order of the catalogue.
//
// A change is worse if the requirement fails now and did not, also where it was not decided before, or if it passed and now is inconclusive or no longer
// claimed. What Kubernetes itself breaks is never worse. What was not run in either report is no change: it was not selected, or the cluster cannot show it.
func Compare(before, after *ConformanceReport) []Change {
	was := map[ID]Verdict{}
	for _, result := range before.Requirements {
		was[result.ID] = result.Verdict
	}
	var changes []Change
	for _, now := range after.Requirements {
		then, known := was[now.ID]
		if then == now.Verdict || now.Verdict == NotRun || known && then == NotRun && now.Verdict != Fail {
			continue
		}
		changes = append(changes, Change{
			Requirement: now.Requirement, Before: then, After: now.Verdict, Reason: now.Reason,
			Worse: now.Verdict == Fail && now.BrokenBy() == "" || then == Pass && (now.Verdict == Inconclusive || now.Verdict == Unsupported),
		})
	}
	return changes
}

// AnyWorse reports whether one of the changes is.
func AnyWorse(changes []Change) bool {
	return slices.ContainsFunc(changes, func(change Change) bool { return change.Worse })
}
