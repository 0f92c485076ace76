package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestAKilledRunGetsAReportFromItsRecordings(t *testing.T) {
	root := t.TempDir()
	fill(t, root, reports.MarkFile)
	if err := os.Mkdir(filepath.Join(root, recordingsFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*history.History{"one.jsonl": lawful(t), "two.jsonl": broken(t)} {
		h.Features = []string{string(requirements.DaemonSet), string(requirements.Surge)}
		var recording bytes.Buffer
		if err := h.Write(&recording); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, recordingsFolder, name), recording.String())
	}
	var selected []string
	for _, report := range specTree() {
		if slices.Contains(report.Labels(), "API-001") {
			selected = append(selected, report.FullText())
		}
	}
	known, err := yaml.Marshal(runRecord{
		Implementation: reports.Implementation{Name: "mine", KnownDeviations: []reports.KnownDeviation{{Requirement: "SURGE-006", Issue: "https://example.org/1"}}},
		Provenance:     reports.Provenance{Seed: 7, Provider: "embedded", Focus: "API-001"}, Selected: selected,
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, runFile), string(known))

	var out bytes.Buffer
	code, err := dispatch(context.Background(), "judge", []string{root}, &out)
	if err != nil || code != exitNotConformant {
		t.Errorf("exit code %d, %v\n%s", code, err, out.String())
	}
	report, err := readReportAt(root)
	if err != nil {
		t.Fatal(err)
	}
	if report.Implementation.Name != "mine" || report.Provenance.Seed != 7 || !report.Provenance.Interrupted || report.Provenance.HarnessFailure != killed {
		t.Errorf("got %+v, %+v", report.Implementation, report.Provenance)
	}
	for id, want := range map[requirements.ID]string{
		"SURGE-006": "fail  https://example.org/1", "API-001": "not run the run was killed before ", "AVAIL-005": "not run not selected ",
	} {
		i := slices.IndexFunc(report.Requirements, func(r reports.RequirementResult) bool { return r.ID == id })
		if r := report.Requirements[i]; string(r.Verdict)+" "+r.Reason+" "+r.KnownDeviation != want {
			t.Errorf("%s is %s %q %q, want %s", id, r.Verdict, r.Reason, r.KnownDeviation, want)
		}
	}
	expect(t, root, reports.JUnitFile, reports.HTMLFile, "-"+runFile)

	// From then on it is a report like any other.
	out.Reset()
	if code, err := dispatch(context.Background(), "judge", []string{root}, &out); err != nil || code != exitNotConformant || !strings.Contains(out.String(), "byte for byte") {
		t.Errorf("exit code %d, %v\n%s", code, err, out.String())
	}
}

func TestNoReportIsMadeForAFolderThatNobodyMarked(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, recordingsFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	var recording bytes.Buffer
	if err := lawful(t).Write(&recording); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, recordingsFolder, "one.jsonl"), recording.String())
	if _, err := dispatch(context.Background(), "judge", []string{root}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	expect(t, root, "-"+reports.YAMLFile, "-"+reports.MarkFile)
}

func TestNoReportIsMadeOfARunThatIsUnderWay(t *testing.T) {
	root := t.TempDir()
	a, err := openArtifacts(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.release()
	var recording bytes.Buffer
	if err := lawful(t).Write(&recording); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(a.recordings, "one.jsonl"), recording.String())
	if _, err := dispatch(context.Background(), "judge", []string{root}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("got %v", err)
	}
	expect(t, root, "-"+reports.YAMLFile)
}
