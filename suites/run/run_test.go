package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

func TestEverySpecDecidesKnownRequirements(t *testing.T) {
	catalogue, deciding, err := loadCatalogue(specTree())
	if err != nil {
		t.Fatal(err)
	}
	for _, report := range specTree() {
		if len(report.Labels()) == 0 {
			t.Errorf("%s decides nothing", report.FullText())
		}
	}
	for _, family := range []string{"API", "AVAIL", "SURGE", "ROLLING"} {
		for _, requirement := range catalogue.Family(family) {
			if len(deciding[requirement.ID]) == 0 {
				t.Errorf("no spec decides %s", requirement.ID)
			}
		}
	}
}

func TestASpecThatDecidesAnUnknownRequirementStopsTheRun(t *testing.T) {
	unknown := types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: "a spec", LeafNodeLabels: []string{"SURGE-902"}}
	if _, _, err := loadCatalogue([]types.SpecReport{unknown}); err == nil || !strings.Contains(err.Error(), "SURGE-902") {
		t.Errorf("want an error that names SURGE-902, got %v", err)
	}
}

func TestWhatASpecDidNotSayIsToldApart(t *testing.T) {
	told := types.ReportEntry{Name: spec.OutcomeEntry, Value: types.WrapEntryValue(spec.Outcomes{
		Outcomes: []reports.Outcome{{Requirement: "SURGE-001", Spec: "told", Verdict: reports.Pass}},
	})}
	it := func(text string, state types.SpecState, entries ...types.ReportEntry) types.SpecReport {
		return types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: text, LeafNodeLabels: []string{"SURGE-001"}, State: state, ReportEntries: entries}
	}
	panicked := it("panicked", types.SpecStatePanicked)
	panicked.Failure.Message = "index out of range"
	for name, row := range map[string]struct {
		report types.SpecReport
		want   reports.Verdict
		reason string
	}{
		"a spec that told its outcome": {it("told", types.SpecStatePassed, told), reports.Pass, ""},
		"a spec that was not selected": {it("skipped", types.SpecStateSkipped), reports.NotRun, "why"},
		"a spec that was interrupted":  {it("interrupted", types.SpecStateInterrupted, told), reports.NotRun, "why"},
		"a spec that panicked":         {panicked, reports.Inconclusive, "index out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			unrun := func(types.SpecReport, requirements.ID) (reports.Verdict, string) { return reports.NotRun, "why" }
			outcomes := collect([]types.SpecReport{asWritten(t, row.report)}, unrun).Outcomes
			if len(outcomes) != 1 || outcomes[0].Verdict != row.want || outcomes[0].Reason != row.reason {
				t.Errorf("want %s (%s), got %+v", row.want, row.reason, outcomes)
			}
		})
	}
}

func TestWhatDidNotRunIsSkippedOnlyIfItWasNotToRun(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	for name, row := range map[string]struct {
		ctx      context.Context
		selected bool
		failure  error
		id       requirements.ID
		want     reports.Verdict
		reason   string
	}{
		"not selected": {context.Background(), false, errors.New("it is not ready"), "SURGE-001", reports.NotRun, "not selected"},
		"not claimed":  {context.Background(), true, errors.New("it is not ready"), "EVICT-001", reports.Unsupported, "the implementation does not claim Eviction"},
		"interrupted behind rollcall's back": {context.Background(), true, nil, "SURGE-001", reports.Inconclusive,
			"its spec was not run to its end: the specs were interrupted by a signal that rollcall did not send"},
		"interrupted":              {interrupted, true, nil, "SURGE-001", reports.NotRun, "the run was interrupted"},
		"the cluster never worked": {context.Background(), true, errors.New("no etcd\nits log"), "SURGE-001", reports.Inconclusive, "not run, since the harness failed before: no etcd"},
		"the implementation never worked": {context.Background(), true, fmt.Errorf("launch: %w", implementation.Failed(errors.New("it is not ready\nits log"))), "SURGE-001",
			reports.Inconclusive, "not run, since the implementation failed before: launch: it is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &suiteRun{
				catalogue: catalogue, implementation: &implementation.Implementation{Features: []requirements.Feature{requirements.Surge}},
				selection: selection{texts: map[bool][]string{true: {"a spec"}}[row.selected]}, out: &console{out: io.Discard},
			}
			if row.failure != nil {
				r.failedBy(row.failure)
			}
			if verdict, reason := r.verdictWithoutRun(row.ctx)(specReport{LeafNodeText: "a spec"}, row.id); verdict != row.want || reason != row.reason {
				t.Errorf("want %s (%s), got %s (%s)", row.want, row.reason, verdict, reason)
			}
		})
	}
}

// asWritten is the report as it comes back from Ginkgo's JSON file.
func asWritten(t *testing.T, report types.SpecReport) (read types.SpecReport) {
	t.Helper()
	text, err := json.Marshal(report)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestARecordingIsJudgedAgainWithTheSameExitCodes(t *testing.T) {
	for name, row := range map[string]struct {
		recording func(*testing.T) *history.History
		want      int
		says      string
	}{
		"a lawful one":           {lawful, exitConformant, "SURGE-002      holds"},
		"one that breaks":        {broken, exitNotConformant, "SURGE-006 broken"},
		"one that was cut short": {cut, exitHarness, "inconclusive"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "recording.jsonl")
			var recording bytes.Buffer
			h := row.recording(t)
			h.Features = []string{string(requirements.DaemonSet), string(requirements.Surge)}
			if err := h.Write(&recording); err != nil {
				t.Fatal(err)
			}
			write(t, path, recording.String())
			var out bytes.Buffer
			code, err := dispatch(context.Background(), "judge", []string{path}, &out)
			if err != nil || code != row.want {
				t.Errorf("want exit code %d, got %d, %v", row.want, code, err)
			}
			if !strings.Contains(out.String(), row.says) {
				t.Errorf("want %q in:\n%s", row.says, out.String())
			}
		})
	}
}

// surgeOfOne is a surge rollout on one node; available says whether the updated pod is, when the old one goes.
func surgeOfOne(t *testing.T, available bool) *historytest.Builder {
	b := historytest.New(t)
	b.Nodes(1)
	daemonSet := b.DaemonSet("agent", historytest.MaxSurge("1"))
	daemonSet.Revision("v1", 1)
	old := daemonSet.Pod("a1", "node-1").Ready()
	b.After(5 * time.Second)
	daemonSet.Update("v2").Revision("v2", 2)
	updated := daemonSet.Pod("a2", "node-1")
	if available {
		updated.Ready()
	}
	old.Terminating()
	return b
}

func lawful(t *testing.T) *history.History { return surgeOfOne(t, true).History() }

func broken(t *testing.T) *history.History { return surgeOfOne(t, false).History() }

func cut(t *testing.T) *history.History { return surgeOfOne(t, true).Cut() }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAMissingHomeFolderIsTheUsersToMend(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	_, err := dispatch(context.Background(), "build", nil, io.Discard)
	if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "XDG_CACHE_HOME or HOME") {
		t.Errorf("want a usage error that says what to set, got %v", err)
	}
}

func TestWhatDiffersFromAReportIsSaidAlsoWhereTheCatalogueGrew(t *testing.T) {
	row := func(id requirements.ID, verdict reports.Verdict) reports.RequirementResult {
		return reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: verdict}
	}
	before := []reports.RequirementResult{row("SURGE-001", reports.Pass), row("SURGE-002", reports.Pass)}
	got := differences(before, []reports.RequirementResult{row("SURGE-001", reports.Pass), row("SURGE-002", reports.Fail), row("SURGE-003", reports.Pass)})
	for _, want := range []string{"SURGE-002      was pass , is fail", "SURGE-003      is new: pass"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "SURGE-001") {
		t.Errorf("SURGE-001 is the same:\n%s", got)
	}
	if got := differences(before, before); !strings.Contains(got, "every verdict is the same") {
		t.Errorf("got %q", got)
	}
}
