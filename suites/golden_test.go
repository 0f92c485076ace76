package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
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

// TestGoldenRecordings judges recordings of lawful and of broken controllers again. Every verdict must be the one that is on file, and the
// same if admission had changed all pods of controllers.
func TestGoldenRecordings(t *testing.T) {
	specs()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	lines := eachOf(t, "*", func(name string, h *history.History) []string {
		s := spec.Registered(h.Scenario)
		if s == nil {
			t.Errorf("%s: no spec is called %q", name, h.Scenario)
			return nil
		}
		verdicts := told(name, s.Judge(h, catalogue))
		admitted(h)
		if with := told(name, s.Judge(h, catalogue)); !slices.Equal(with, verdicts) {
			t.Errorf("%s: with what admission adds to pods %q, without it %q", name, onlyIn(with, verdicts), onlyIn(verdicts, with))
		}
		return verdicts
	})
	goldentest.Equal(t, verdicts, strings.Join(slices.Concat(lines...), "\n")+"\n")
}

// eachOf asks side by side what there is to say of each golden recording of the implementations, in the order of their names.
func eachOf[T any](t *testing.T, implementations string, ask func(name string, h *history.History) T) []T {
	t.Helper()
	corpus, err := golden.Open(recordings)
	if err != nil {
		t.Fatal(err)
	}
	names, err := corpus.Names(implementations)
	if err != nil {
		t.Fatal(err)
	}
	answers := make([]T, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() {
			h, err := corpus.Read(name)
			if err != nil {
				t.Error(err)
				return
			}
			answers[i] = ask(name, h)
		})
	}
	asking.Wait()
	return answers
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
	recorded := eachOf(t, "reference*", func(_ string, h *history.History) string { return h.Scenario })
	for _, text := range specs() {
		if !slices.Contains(recorded, text) {
			t.Errorf("no golden recording of %q: see hack/golden", text)
		}
	}
}
