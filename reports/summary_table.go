package reports

import (
	"fmt"
	"strconv"
	"strings"
)

// table writes a line of counts per family. Families of which nothing was selected share one line: while the suite grows there are
// many of them, and the section "Not run" names them.
func (s *summary) table() {
	var rows []Profile
	untouched := Profile{}
	families := 0
	width := len("total")
	for _, profile := range profilesOf(s.report.Requirements) {
		if profile.Statistics.NotRun == profile.Statistics.Total() {
			families++
			untouched.Statistics.NotRun += profile.Statistics.NotRun
			continue
		}
		width = max(width, len(profile.Name))
		rows = append(rows, profile)
	}
	if families > 0 {
		untouched.Name = fmt.Sprintf("%d more", families)
		rows = append(rows, untouched)
	}
	rows = append(rows, Profile{Name: "total", Statistics: count(s.report.Requirements)})
	fmt.Fprintf(&s.text, "\n%-*s  passed  failed  inconclusive  unsupported  not run\n", width, "")
	for _, row := range rows {
		counts := row.Statistics
		fmt.Fprintf(&s.text, "%-*s  %6s  %6s  %12s  %11s  %7s\n", width, row.Name, number(counts.Passed), number(counts.Failed),
			number(counts.Inconclusive), number(counts.Unsupported), number(counts.NotRun))
	}
}

// number shows zero as a dash, so that what happened stands out.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// ranges shortens runs of consecutive IDs of a family: PAUSE-001..008.
func ranges(ids []ID) []string {
	var short []string
	for start := 0; start < len(ids); {
		end := start
		for end+1 < len(ids) && follows(ids[end], ids[end+1]) {
			end++
		}
		switch {
		case end == start:
			short = append(short, string(ids[start]))
		case end == start+1:
			short = append(short, string(ids[start]), string(ids[end]))
		default:
			short = append(short, string(ids[start])+".."+numberOf(ids[end]))
		}
		start = end + 1
	}
	return short
}

func follows(a, b ID) bool {
	before, errBefore := strconv.Atoi(numberOf(a))
	after, errAfter := strconv.Atoi(numberOf(b))
	return a.Family() == b.Family() && errBefore == nil && errAfter == nil && after == before+1
}

// numberOf is the ID without its family: 002 for SURGE-002.
func numberOf(id ID) string { return strings.TrimPrefix(string(id), id.Family()+"-") }
