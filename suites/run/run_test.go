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

func TestBadInputNamesTheThingAndTheFixAndLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(folder, "no.sock"))
	file := filepath.Join(folder, "file")
	write(t, file, "not a recording\n")
	recording := recordingAt(t)
	implementation := filepath.Join(folder, "implementation.yaml")
	write(t, implementation, "apiVersion: rollcall.dev/v1alpha1\nkind: Implementation\nmetadata: {name: x}\nspec:\n  features: [Surge, Surgery]\n  launch: {none: {}}\n")
	foreign := filepath.Join(folder, "pod.yaml")
	write(t, foreign, "kind: Pod\n")
	packed := filepath.Join(folder, "packed.jsonl")
	write(t, packed, "\x1f\x8b\x08")
	artifacts := filepath.Join(folder, "artifacts")
	for name, row := range map[string]struct {
		args []string
		want []string
	}{
		"no such command":           {[]string{"runn"}, []string{"no such command", "rollcall run"}},
		"an unknown flag":           {[]string{"run", "-providr=kind"}, []string{"providr"}},
		"an argument too many":      {[]string{"run", "kind"}, []string{`unexpected argument "kind"`}},
		"an unknown provider":       {[]string{"run", "-provider=moon"}, []string{"moon", "embedded"}},
		"nobody's cluster":          {[]string{"run", "-provider=existing"}, []string{"-kubeconfig=FILE", "-context=NAME", "no kubeconfig file"}},
		"images unsaid":             {[]string{"run", "-images=example.com/x"}, []string{"-images", "-provider=existing"}},
		"kept on embedded":          {[]string{"run", "-provider=embedded", "-keep"}, []string{"-keep", "-provider=kind", "embedded"}},
		"kept without an engine":    {[]string{"run", "-keep"}, []string{"-keep", "-provider=kind", "embedded"}},
		"a cluster unsaid":          {[]string{"run", "-kubeconfig=" + file}, []string{"-provider=existing"}},
		"a kubeconfig that is not":  {[]string{"run", "-provider=existing", "-kubeconfig=" + file, "-context=x"}, []string{file}},
		"nodes simulated unsaid":    {[]string{"run", "-provider=embedded", "-simulated-nodes"}, []string{"-simulated-nodes", "-provider=existing"}},
		"nodes simulated on one up": {[]string{"run", "-on=default", "-simulated-nodes"}, []string{"-simulated-nodes"}},
		"owners checked on kind":    {[]string{"run", "-provider=kind", "-check-owner-references"}, []string{"-check-owner-references", "-provider=embedded"}},
		"images to nowhere":         {[]string{"images"}, []string{"-output"}},
		"no parallelism":            {[]string{"run", "-procs=0"}, []string{"-procs 0"}},
		"no patience":               {[]string{"run", "-patience=-1s"}, []string{"-patience"}},
		"a broken expression":       {[]string{"run", "-focus=("}, []string{"-focus", "missing closing"}},
		"a focus on nothing":        {[]string{"run", "-focus=no spec says this"}, []string{"no spec says this", "selects no spec"}},
		"artifacts in a file":       {[]string{"run", "-artifacts=" + file}, []string{file, "not a folder"}},
		"no such implementation":    {[]string{"run", "-implementation=mine"}, []string{"mine", "reference", "kube-controller-manager"}},
		"a missing file":            {[]string{"run", "-implementation=./missing.yaml"}, []string{"missing.yaml"}},
		"an unknown feature":        {[]string{"run", "-implementation=" + implementation}, []string{"implementation.yaml:5", "Surgery", "HostPortRejection"}},
		"an unknown version":        {[]string{"run", "-kubernetes-version=banana"}, []string{"banana"}},
		"a version to build":        {[]string{"build", "-kubernetes-version=1.2"}, []string{"1.2"}},
		"a version too old":         {[]string{"run", "-provider=embedded", "-kubernetes-version=1.5.0"}, []string{"1.5.0", "v1.25.0 and later"}},
		"one too old for kind":      {[]string{"run", "-provider=kind", "-kubernetes-version=1.5.0"}, []string{"1.5.0", "v1.25.0 and later"}},
		"an argument to build":      {[]string{"build", "1.36.3"}, []string{`unexpected argument "1.36.3"`}},
		"nothing to judge":          {[]string{"judge"}, []string{"name the recordings"}},
		"a file that is none":       {[]string{"judge", file}, []string{file, "not a rollcall recording"}},
		"a packed recording":        {[]string{"judge", packed}, []string{packed, "gunzip"}},
		"judged into a folder":      {[]string{"judge", "-output=" + folder, packed}, []string{"-output", folder, "name a file"}},
		"judged into no folder":     {[]string{"judge", "-output=" + filepath.Join(folder, "none", "x.yaml"), packed}, []string{"-output", "none"}},
		"a report of another kind":  {[]string{"diff", foreign, foreign}, []string{foreign, `kind "Pod"`, "ConformanceReport"}},
		"a report that is missing":  {[]string{"run", "-baseline=" + filepath.Join(folder, "missing.yaml")}, []string{"-baseline: open " + filepath.Join(folder, "missing.yaml")}},
		"help on nothing":           {[]string{"help", "judge"}, []string{"rollcall judge -help"}},
		"the whole machine":         {[]string{"run", "-artifacts=/"}, []string{"not rollcall's", "more"}},
		"nothing to show":           {[]string{"show"}, []string{"name one recording"}},
		"too much to show":          {[]string{"show", file, file}, []string{"name one recording"}},
		"nothing that is shown":     {[]string{"show", file}, []string{file, "not a rollcall recording"}},
		"shown in no format":        {[]string{"show", "-format=svg", file}, []string{"-format", "svg", "terminal, html, trace"}},
		"shown before its time":     {[]string{"show", "-from=-1s", file}, []string{"-from", "negative"}},
		"shown backwards":           {[]string{"show", "-from=5s", "-to=2s", file}, []string{"-to 2s", "-from 5s"}},
		"no such time":              {[]string{"show", "-from=soon", file}, []string{"from", "soon"}},
		"no such node":              {[]string{"show", "-node=mars", recording}, []string{recording, "mars", "its nodes are [node-1"}},
		"after the end":             {[]string{"show", "-from=9h", recording}, []string{recording, "ends after", "9h"}},
		"no report to write":        {[]string{"report"}, []string{"name one report"}},
		"a report that is none":     {[]string{"report", file}, []string{file, "read report"}},
		"no report at all":          {[]string{"report", filepath.Join(folder, "missing.yaml")}, []string{"missing.yaml"}},
		"a report in no format":     {[]string{"report", "-format=pdf", file}, []string{"-format", "pdf", "html, junit, markdown"}},
		"a page in no folder":       {[]string{"show", "-output=" + filepath.Join(folder, "no", "page"), recording}, []string{"-output", "no such file"}},
		"a recording that is not":   {[]string{"judge", filepath.Join(folder, "missing")}, []string{"missing"}},
		"a row without specs":       {[]string{"run", "-dry-run", "-focus=PDB-032"}, []string{"PDB-032", "selects no spec"}},
		"one of several on nothing": {[]string{"run", "-focus=SURGE-007", "-focus=no such"}, []string{"no such", "selects no spec"}},
		"an empty focus":            {[]string{"run", "-focus="}, []string{"-focus", "empty"}},
		"everything skipped":        {[]string{"run", "-focus=SURGE-007", "-skip=SURGE"}, []string{"select no spec", "-list"}},
		"no such report":            {[]string{"run", "-failed-in=" + filepath.Join(folder, "missing.yaml")}, []string{"-failed-in", "missing.yaml"}},
		"no report":                 {[]string{"run", "-failed-in=" + file}, []string{"-failed-in", file}},
		"less than none":            {[]string{"run", "-stop-after=-1"}, []string{"-stop-after -1"}},
		"somebody's folder":         {[]string{"run", "-artifacts=" + folder}, []string{folder, "file", "touch " + filepath.Join(folder, ".rollcall")}},
		"nothing to explain":        {[]string{"explain"}, []string{"SURGE-013"}},
		"no such requirement":       {[]string{"explain", "SURGE-999"}, []string{"SURGE-999"}},
		"an argument to version":    {[]string{"version", "all"}, []string{`unexpected argument "all"`}},
		"an argument to the table":  {[]string{"requirements", "SURGE"}, []string{`unexpected argument "SURGE"`}},
		"the runner's own command":  {[]string{specsCommand}, []string{parentVariable}},
	} {
		t.Run(name, func(t *testing.T) {
			args := row.args
			if args[0] == "run" && !strings.Contains(strings.Join(args, " "), "-artifacts") {
				args = append([]string{"run", "-artifacts=" + artifacts}, args[1:]...)
			}
			var out bytes.Buffer
			_, err := dispatch(context.Background(), args[0], args[1:], &out)
			if err == nil {
				t.Fatalf("it was accepted; output:\n%s", out.String())
			}
			if name != "the runner's own command" && !errors.As(err, new(usageError)) {
				t.Errorf("not a usage error: %v", err)
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in: %v", want, err)
				}
			}
			if _, err := os.Stat(artifacts); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was left in %s: %v", artifacts, err)
			}
		})
	}
}

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
		"not selected":             {context.Background(), false, errors.New("it is not ready"), "SURGE-001", reports.NotRun, "not selected"},
		"not claimed":              {context.Background(), true, errors.New("it is not ready"), "EVICT-001", reports.Unsupported, "the implementation does not claim Eviction"},
		"interrupted":              {interrupted, true, nil, "SURGE-001", reports.NotRun, "the run was interrupted"},
		"the cluster never worked": {context.Background(), true, errors.New("no etcd\nits log"), "SURGE-001", reports.Inconclusive, "not run, since the harness failed before: no etcd"},
		"the implementation never worked": {context.Background(), true, fmt.Errorf("launch: %w", implementation.Failed(errors.New("it is not ready\nits log"))), "SURGE-001",
			reports.Inconclusive, "not run, since the implementation failed before: launch: it is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &suiteRun{
				catalogue: catalogue, implementation: &implementation.Implementation{Features: []requirements.Feature{requirements.Surge}},
				selection: selection{texts: map[bool][]string{true: {"a spec"}}[row.selected]},
			}
			if row.failure != nil {
				r.failedBy(row.failure)
			}
			if verdict, reason := r.unrun(row.ctx)(specReport{LeafNodeText: "a spec"}, row.id); verdict != row.want || reason != row.reason {
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
