package main

import (
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/hack/internal/sidebyside"
	"github.com/rollcall-conformance/rollcall/reports"
)

// on is a run on a version. verdicts has a letter for each requirement: p pass, f fail, i inconclusive, u unsupported,
// x not possible there, - not asked for.
func on(version, verdicts string) sidebyside.Run {
	report := &reports.ConformanceReport{}
	report.Provenance.KubernetesVersion = version
	for i, letter := range verdicts {
		result := reports.RequirementResult{
			Requirement: reports.Requirement{ID: reports.ID("A-00" + string(rune('1'+i))), Title: "title"},
			Verdict:     map[rune]reports.Verdict{'p': reports.Pass, 'f': reports.Fail, 'i': reports.Inconclusive, 'u': reports.Unsupported, '-': reports.NotRun, 'x': reports.NotRun}[letter],
		}
		switch letter {
		case 'i', 'x':
			result.Reason = "it takes\nmore"
		case '-':
			result.Reason = reports.NotSelected
		}
		report.Requirements = append(report.Requirements, result)
	}
	return sidebyside.Run{Folder: version, Report: report}
}

func TestTheTableHasWhatDoesNotPassOnEveryVersion(t *testing.T) {
	// 1.9.0 is older than 1.10.2, whose run is in two parts.
	runs := []sidebyside.Run{on("1.10.2", "pfp--up-"), on("1.9.0", "ppxi-u-f"), on("1.10.2", "p--p-u--")}
	var out strings.Builder
	if err := writeTable(&out, columns(runs)); err != nil {
		t.Fatal(err)
	}
	want := `| requirement | | 1.9.0 | 1.10.2 |
|---|---|---|---|
| A-002 | title | pass | **fail** |
| A-003 | title | not run | pass |
| A-004 | title | inconclusive | pass |
| A-008 | title | **fail** |  |
| all | | 2 passed, 1 failed, 1 inconclusive | 4 passed, 1 failed, 0 inconclusive |

Requirements that pass wherever they were run: 2. Decided on none, since they are not claimed or were not run: 2.

- A-003 on 1.9.0, not run: it takes more
- A-004 on 1.9.0, inconclusive: it takes more
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
