package run

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// told are four specs to choose from.
func told() []specReport {
	return []specReport{
		{LeafNodeText: "a surge node by node", LeafNodeLabels: []string{"SURGE-002"}},
		{LeafNodeText: "b surge, at once", LeafNodeLabels: []string{"SURGE-007", "ROLLING-013"}},
		{LeafNodeText: "c rolls", LeafNodeLabels: []string{"ROLLING-013"}},
		{LeafNodeText: "d a surge node by node and more", LeafNodeLabels: []string{"AVAIL-001", "Serial"}},
	}
}

func TestASelectionIsOfRequirementsFamiliesOrTexts(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	failed := filepath.Join(t.TempDir(), "report.yaml")
	writeReport(t, failed, reports.Outcome{Requirement: "ROLLING-013", Verdict: reports.Fail}, reports.Outcome{Requirement: "AVAIL-001", Verdict: reports.Inconclusive},
		reports.Outcome{Requirement: "SURGE-002", Verdict: reports.Pass})
	for name, row := range map[string]struct {
		options options
		want    string
	}{
		"everything":                         {options{}, "abcd"},
		"a requirement":                      {options{focus: patterns{"SURGE-002"}}, "a"},
		"a family":                           {options{focus: patterns{"SURGE"}}, "ab"},
		"several, with a comma":              {options{focus: patterns{"SURGE-002, AVAIL"}}, "ad"},
		"several, said twice":                {options{focus: patterns{"SURGE-002", "rolls$"}}, "ac"},
		"a text with a comma":                {options{focus: patterns{"surge, at"}}, "b"},
		"a text":                             {options{focus: patterns{"surge node"}}, "ad"},
		"without a family":                   {options{skip: patterns{"SURGE"}}, "cd"},
		"a family without a requirement":     {options{focus: patterns{"SURGE"}, skip: patterns{"ROLLING-013"}}, "a"},
		"what failed or was inconclusive":    {options{failedIn: failed}, "bcd"},
		"what failed in a folder":            {options{failedIn: filepath.Dir(failed)}, "bcd"},
		"what failed of a focus":             {options{failedIn: failed, focus: patterns{"SURGE"}}, "b"},
		"what failed, without a requirement": {options{failedIn: failed, skip: patterns{"AVAIL-001"}}, "bc"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := row.options.selection(catalogue, told())
			if err != nil {
				t.Fatal(err)
			}
			selected, byGinkgo := "", ""
			for _, spec := range told() {
				if got.selects(spec) {
					selected += spec.FullText()[:1]
				}
				if ginkgoSelects(t, got.flags(), spec) {
					byGinkgo += spec.FullText()[:1]
				}
			}
			if selected != row.want || byGinkgo != row.want {
				t.Errorf("want %s, selected %s, and Ginkgo %s", row.want, selected, byGinkgo)
			}
			if (got.reason == "") != (name == "everything") {
				t.Errorf("the reason is %q", got.reason)
			}
		})
	}
}

// ginkgoSelects does as Ginkgo with its flags.
func ginkgoSelects(t *testing.T, flags []string, spec types.SpecReport) bool {
	t.Helper()
	return !slices.ContainsFunc(flags, func(flag string) bool {
		expression, isFocus := strings.CutPrefix(flag, "--focus=")
		return !isFocus || !regexp.MustCompile(expression).MatchString(suiteName+" "+spec.FullText())
	})
}

func writeReport(t *testing.T, path string, outcomes ...reports.Outcome) {
	t.Helper()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	report, err := reports.Assemble(reports.Run{Catalogue: catalogue.All(), Outcomes: outcomes})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := reports.WriteYAML(file, report); err != nil {
		t.Fatal(err)
	}
}

func TestNothingFailedIsNothingToRunAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.yaml")
	writeReport(t, path, reports.Outcome{Requirement: "SURGE-002", Verdict: reports.Pass})
	if _, err := failedIn(path); err == nil || !strings.Contains(err.Error(), "nothing failed") {
		t.Errorf("got %v", err)
	}
}
