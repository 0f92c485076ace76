package run

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
	"github.com/rollcall-conformance/rollcall/reports/publication"
)

// recorded is the text of a recording.
func recorded(t *testing.T) string {
	t.Helper()
	var text bytes.Buffer
	if err := lawful(t).Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// wholeRun is the folder of a run, with one recording that nothing was decided on, and what judging it gives.
func wholeRun(t *testing.T, change func(*reports.Run)) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, recordingsFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, recordingsFolder, "one.jsonl"), recorded(t))
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	j, err := judgeRecording(filepath.Join(folder, recordingsFolder, "one.jsonl"), folder, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	run := outcomesAgain([]judged{j}, specTree(), catalogue)
	run.Implementation = reports.Implementation{Name: "mine", Organization: "Example, Inc.", Project: "my controller", Version: "v1.2.3"}
	run.Provenance = reports.Provenance{Rollcall: reports.Rollcall{Version: "v1.0.0"}, KubernetesVersion: "v1.37.0", Provider: "embedded", Seed: 7}
	if change != nil {
		change(&run)
	}
	report, err := reports.Assemble(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteFiles(folder, report); err != nil {
		t.Fatal(err)
	}
	return folder
}

// publish publishes the run, and returns the folder of its publication.
func publish(t *testing.T, run string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "published")
	if code, err := publishReport([]string{"-root=" + root, run}, io.Discard); err != nil || code != exitConformant {
		t.Fatalf("exit code %d, %v", code, err)
	}
	for _, file := range []string{"README.md", "example-inc-my-controller/v1.2.3/embedded/README.md"} {
		if text, err := os.ReadFile(filepath.Join(root, file)); err != nil || !strings.Contains(string(text), "mine v1.2.3") {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}
	return filepath.Join(root, "example-inc-my-controller", "v1.2.3", "embedded")
}

func TestAPublishedReportIsVerified(t *testing.T) {
	run := wholeRun(t, nil)
	folder := publish(t, run)
	var out bytes.Buffer
	if code, err := verifyPublication(t.Context(), []string{"-recordings=" + run, folder}, &out); err != nil || code != exitConformant || strings.Count(out.String(), "ok ") != 3 {
		t.Errorf("exit code %d, %v:\n%s", code, err, out.String())
	}
	out.Reset()
	if code, err := verifyPublication(t.Context(), []string{folder}, &out); err != nil || code != exitConformant || strings.Count(out.String(), "not done") != 2 {
		t.Errorf("exit code %d, %v:\n%s", code, err, out.String())
	}
}

func TestWhatWasChangedAfterwardsIsNamed(t *testing.T) {
	for name, row := range map[string]struct {
		harm func(t *testing.T, run, folder string)
		want string
	}{
		"the report": {func(t *testing.T, _, folder string) {
			replaceIn(t, filepath.Join(folder, reports.YAMLFile), "name: mine", "name: yours")
		}, "report.yaml was changed since it was published"},
		"a recording": {func(t *testing.T, run, _ string) {
			replaceIn(t, filepath.Join(run, recordingsFolder, "one.jsonl"), "node-1", "node-2")
		}, "recordings/one.jsonl was changed since it was published"},
		"a recording that went": {func(t *testing.T, run, _ string) {
			if err := os.Rename(filepath.Join(run, recordingsFolder, "one.jsonl"), filepath.Join(run, recordingsFolder, "two.jsonl")); err != nil {
				t.Fatal(err)
			}
		}, "recordings/one.jsonl is missing"},
		"a recording that came": {func(t *testing.T, run, _ string) {
			write(t, filepath.Join(run, recordingsFolder, "two.jsonl"), recorded(t))
		}, "recordings/two.jsonl was not there"},
	} {
		t.Run(name, func(t *testing.T) {
			run := wholeRun(t, nil)
			folder := publish(t, run)
			row.harm(t, run, folder)
			var out bytes.Buffer
			code, err := verifyPublication(t.Context(), []string{"-recordings=" + run, folder}, &out)
			if err != nil || code != exitNotConformant || !strings.Contains(out.String(), row.want) {
				t.Errorf("exit code %d, %v; want %q in:\n%s", code, err, row.want, out.String())
			}
		})
	}
}

func replaceIn(t *testing.T, path, old, with string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s does not have %q: %v", path, old, err)
	}
	write(t, path, strings.Replace(string(text), old, with, 1))
}

func TestASignatureIsOfTheOneWhoShouldHaveSigned(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	folder, keys := publish(t, wholeRun(t, nil)), t.TempDir()
	keygen := func(args ...string) {
		t.Helper()
		if said, err := exec.CommandContext(t.Context(), "ssh-keygen", args...).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen %q: %v: %s", args, err, said)
		}
	}
	for _, who := range []string{"she", "he"} {
		keygen("-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(keys, who))
	}
	public, err := os.ReadFile(filepath.Join(keys, "she.pub"))
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(keys, "signers")
	write(t, signers, "she@example.org "+string(public))
	verify := func() (int, string) {
		t.Helper()
		var out bytes.Buffer
		code, err := verifyPublication(t.Context(), []string{"-signers=" + signers, "-signer=she@example.org", folder}, &out)
		if err != nil {
			t.Fatal(err)
		}
		return code, out.String()
	}
	if code, said := verify(); code != exitNotConformant || !strings.Contains(said, "it is not signed") {
		t.Errorf("without a signature: exit code %d:\n%s", code, said)
	}
	sums := filepath.Join(folder, publication.SumsFile)
	keygen("-q", "-Y", "sign", "-n", publication.Namespace, "-f", filepath.Join(keys, "she"), sums)
	if code, said := verify(); code != exitConformant {
		t.Errorf("signed by her: exit code %d:\n%s", code, said)
	}
	for _, other := range []struct{ name, key, namespace string }{{"by another", "he", publication.Namespace}, {"for another purpose", "she", "git"}} {
		if err := os.Remove(sums + ".sig"); err != nil {
			t.Fatal(err)
		}
		keygen("-q", "-Y", "sign", "-n", other.namespace, "-f", filepath.Join(keys, other.key), sums)
		if code, said := verify(); code != exitNotConformant {
			t.Errorf("signed %s: exit code %d:\n%s", other.name, code, said)
		}
	}
}

func TestWhatIsNoWholeRunIsNotPublished(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		change func(*reports.Run)
		want   string
	}{
		"focused":       {func(run *reports.Run) { run.Provenance.Focus = "SURGE" }, "a part of the suites"},
		"a shard":       {func(run *reports.Run) { run.Provenance.Shard = &reports.Shard{Index: 1, Count: 2} }, "a part of the suites"},
		"interrupted":   {func(run *reports.Run) { run.Provenance.Interrupted = true }, "did not get to its end"},
		"not committed": {func(run *reports.Run) { run.Provenance.Rollcall.Version = "v1.0.0+dirty" }, "not committed"},
		"of no commit":  {func(run *reports.Run) { run.Provenance.Rollcall = reports.Rollcall{Version: "(devel)"} }, "neither version nor commit"},
		"patient":       {func(run *reports.Run) { run.Provenance.RelaxedTimeouts = []reports.RelaxedTimeout{{Name: "patience"}} }, "timeouts were relaxed"},
		"of nobody":     {func(run *reports.Run) { run.Implementation.Organization = "" }, "spec.organization"},
		"of another verdict": {func(run *reports.Run) {
			run.Outcomes = append(run.Outcomes, reports.Outcome{Requirement: catalogue.All()[0].ID, Spec: "x", Verdict: reports.Pass})
		}, "do not give the report's verdicts"},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "published")
			_, err := publishReport([]string{"-root=" + root, wholeRun(t, row.change)}, io.Discard)
			if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q in it", err, row.want)
			}
			if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was left: %v", err)
			}
		})
	}
}

// TestNothingPublishedNamesAFolderOfThisMachine: not even the run's own, or the user's.
func TestNothingPublishedNamesAFolderOfThisMachine(t *testing.T) {
	for name, here := range map[string]bool{"a home": false, "the run": true} {
		home := t.TempDir()
		t.Setenv("HOME", home)
		run := wholeRun(t, func(run *reports.Run) {
			run.Circumstances = []reports.Circumstances{{Spec: "x", Log: []string{"reading " + home + "/.kube/config"}}}
		})
		if here {
			t.Setenv("HOME", "/nowhere")
			replaceIn(t, filepath.Join(run, reports.YAMLFile), home, run)
			home = run
		}
		root := filepath.Join(t.TempDir(), "published")
		_, err := publishReport([]string{"-root=" + root, run}, io.Discard)
		if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "report.yaml:") || !strings.Contains(err.Error(), home) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something was left: %v", name, err)
		}
	}
}

func TestThePublishedReportsAreAsTheTableSays(t *testing.T) {
	root := filepath.Join("..", "..", publishedFolder)
	all, err := publication.All(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no published report", root)
	}
	for _, one := range all {
		folder := filepath.Join(root, filepath.FromSlash(one.Folder))
		if code, err := verifyPublication(t.Context(), []string{folder}, io.Discard); err != nil || code != exitConformant {
			t.Errorf("%s: exit code %d, %v: `rollcall verify` says what is wrong", folder, code, err)
		}
	}
	table, err := os.ReadFile(filepath.Join(root, publication.GuideFile))
	if err != nil || string(table) != publication.Table(all) {
		t.Errorf("the table of %s is not that of the reports in it (%v): `rollcall publish` makes it", root, err)
	}
}
