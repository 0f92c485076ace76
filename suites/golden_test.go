package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/goldentest"
	"github.com/rollcall-conformance/rollcall/suites"
	"github.com/rollcall-conformance/rollcall/suites/golden"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const (
	recordings = "testdata/golden"
	verdicts   = recordings + "/verdicts.txt"
)

// specs are the texts of all specs. Ginkgo has one tree in a process, which is built once.
var specs = sync.OnceValue(func() []string {
	suites.Register()
	var texts []string
	for _, report := range ginkgo.PreviewSpecs("golden").SpecReports {
		texts = append(texts, report.FullText())
	}
	return texts
})

// TestGoldenRecordings judges recordings of lawful and of broken controllers again. Every verdict must be the one that is on file.
func TestGoldenRecordings(t *testing.T) {
	specs()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	corpus, names := open(t, "*")
	lines := make([][]string, len(names))
	var judging sync.WaitGroup
	for i, name := range names {
		judging.Go(func() {
			h, err := corpus.Read(name)
			if err != nil {
				t.Error(err)
				return
			}
			s := spec.Registered(h.Scenario)
			if s == nil {
				t.Errorf("%s: no spec is called %q", name, h.Scenario)
				return
			}
			lines[i] = told(name, s.Judge(h, catalogue))
		})
	}
	judging.Wait()
	goldentest.Equal(t, verdicts, strings.Join(slices.Concat(lines...), "\n")+"\n")
}

// open returns the corpus, and the names of the recordings of implementations.
func open(t *testing.T, implementations string) (*golden.Corpus, []string) {
	t.Helper()
	corpus, err := golden.Open(recordings)
	if err != nil {
		t.Fatal(err)
	}
	names, err := corpus.Names(implementations)
	if err != nil {
		t.Fatal(err)
	}
	return corpus, names
}

// told is a line for each requirement: recording, requirement, verdict, and the reason or what is wrong.
func told(name string, j spec.Judgement) []string {
	var lines []string
	for _, outcome := range j.Outcomes {
		line := fmt.Sprintf("%s %s %s", name, outcome.Requirement, outcome.Verdict)
		if outcome.Verdict != reports.Fail && outcome.Reason != "" {
			line += ": " + strings.ReplaceAll(outcome.Reason, "\n", " ")
		}
		lines = append(lines, line)
		for _, violation := range j.Violations {
			if violation.Requirement == outcome.Requirement {
				lines = append(lines, fmt.Sprintf("  at %d on %q: %s: got %s", violation.ResourceVersion, violation.Node, violation.Promise, violation.Got))
			}
		}
	}
	return lines
}

// TestEverySpecHasAGoldenRecordingOfTheReference keeps the corpus whole.
func TestEverySpecHasAGoldenRecordingOfTheReference(t *testing.T) {
	recorded := map[string]bool{}
	corpus, names := open(t, "reference*")
	for _, name := range names {
		h, err := corpus.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		recorded[h.Scenario] = true
	}
	for _, text := range specs() {
		if !recorded[text] {
			t.Errorf("no golden recording of %q: see hack/golden", text)
		}
	}
}
