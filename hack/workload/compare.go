package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// passed are the requirements that the reference passes on simulated nodes, in every spec that decides them, by the golden verdicts.
func passed(verdicts string) []requirements.ID {
	everywhere := map[requirements.ID]bool{}
	for line := range strings.Lines(verdicts) {
		fields := strings.Fields(line)
		if len(fields) < 3 || !strings.HasPrefix(fields[0], "reference/") {
			continue
		}
		id := requirements.ID(fields[1])
		before, seen := everywhere[id]
		everywhere[id] = (before || !seen) && fields[2] == string(reports.Pass)
	}
	var ids []requirements.ID
	for _, id := range slices.Sorted(maps.Keys(everywhere)) {
		if everywhere[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// compare says which of the requirements the report does not say are met, and counts those that it does. One that is about DaemonSets of apps/v1, or of a
// feature that the toy does not claim, is not expected to be. A failure is a problem of whichever requirement.
func compare(want []requirements.ID, report *reports.ConformanceReport) (problems []string, same int) {
	if report.Implementation.Workload == "" {
		return []string{"the report is about DaemonSets"}, 0
	}
	for _, got := range report.Requirements {
		foreign := got.Verdict == reports.Unsupported || got.Verdict == reports.NotRun && strings.Contains(got.Reason, report.Implementation.Workload)
		switch {
		case got.Verdict == reports.Fail:
			problems = append(problems, fmt.Sprintf("%s: %s %s", got.ID, got.Verdict, got.Reason))
		case !slices.Contains(want, got.ID) || foreign:
		case got.Verdict == reports.Pass:
			same++
		default:
			problems = append(problems, fmt.Sprintf("%s: %s %s, and the reference passes it", got.ID, got.Verdict, got.Reason))
		}
	}
	if same == 0 {
		problems = append(problems, "no requirement that the reference passes was decided")
	}
	return problems, same
}

func verdictOf(report *reports.ConformanceReport, id requirements.ID) reports.Verdict {
	for _, got := range report.Requirements {
		if got.ID == id {
			return got.Verdict
		}
	}
	return ""
}
