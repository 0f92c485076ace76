package reports_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
)

func yamlOf(t *testing.T, report *reports.ConformanceReport) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := reports.WriteYAML(&out, report); err != nil {
		t.Fatalf("write the report: %v", err)
	}
	return out.Bytes()
}

func TestAReportReadsBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := assemble(t, exampleRun())
	want.Requirements[1].Violations[0].Got = "colon: \"quotes\"\nand a second line\twith \x1b[31mcolour\x1b[0m"
	got, err := reports.ReadYAML(bytes.NewReader(yamlOf(t, want)))
	if err != nil {
		t.Fatalf("read the report back: %v", err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
}

func TestTwoRunsWithTheSameVerdictsDifferOnlyInTheLastTwoBlocks(t *testing.T) {
	t.Parallel()
	passing := func() reports.Run {
		run := exampleRun()
		run.Outcomes[2].Verdict, run.Outcomes[2].Violations = reports.Pass, nil
		return run
	}
	later := passing()
	later.Provenance.Started = later.Provenance.Started.Add(time.Hour)
	later.Provenance.Seed = 43
	for i := range later.Outcomes {
		later.Outcomes[i].Duration *= 2
	}
	cut := func(text []byte) string {
		before, _, found := strings.Cut(string(text), "\nprovenance:\n")
		if !found {
			t.Fatal("the report has no provenance block")
		}
		return before
	}
	first, second := yamlOf(t, assemble(t, passing())), yamlOf(t, assemble(t, later))
	if cut(first) != cut(second) {
		t.Errorf("the reports differ before their provenance:\n%s\n\n%s", first, second)
	}
	if bytes.Equal(first, second) {
		t.Error("another start, seed and duration left no trace in the report")
	}
}

func before(text, end string) string {
	cut, _, _ := strings.Cut(text, end)
	return cut
}

func TestReadingAReportIsStrict(t *testing.T) {
	t.Parallel()
	good := string(yamlOf(t, assemble(t, exampleRun())))
	cases := map[string]struct{ text, want string }{
		"empty":                      {"", "it is empty"},
		"an unknown field":           {good + "colour: red\n", "field colour not found"},
		"a field twice":              {good + "kind: ConformanceReport\n", "already defined"},
		"an unknown verdict":         {strings.Replace(good, "verdict: inconclusive", "verdict: maybe", 1), `unknown verdict "maybe"`},
		"a verdict left out":         {strings.Replace(good, "    verdict: inconclusive\n", "", 1), "SURGE-010 has no verdict"},
		"another apiVersion":         {strings.Replace(good, reports.APIVersion, "rollcall.dev/v9", 1), "rollcall.dev/v9"},
		"another kind":               {strings.Replace(good, "kind: ConformanceReport", "kind: Implementation", 1), `"Implementation"`},
		"a requirement listed twice": {strings.Replace(good, "id: SURGE-009", "id: SURGE-002", 1), "SURGE-002 is listed twice"},
		"a picture that is none":     {strings.Replace(good, "life: ee", "life: eee", 1), "violation of SURGE-009: the life of pod agent-a has 3 steps"},
		"cut off":                    {before(good, "  - id: SURGE-009"), "cut off or changed"},
		"cut off at the beginning":   {before(good, "conformance:"), "cut off or changed"},
		"a verdict changed":          {strings.Replace(good, "verdict: fail", "verdict: pass", 1), "cut off or changed"},
		"more than any run writes":   {good + strings.Repeat("#", 32<<20), "larger than 32 MiB"},
		"a second document":          {good + "---\n" + good, "more than one document"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := reports.ReadYAML(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that says %s", err, test.want)
			}
		})
	}
}
