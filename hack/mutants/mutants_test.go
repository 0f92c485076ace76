package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	"github.com/rollcall-conformance/rollcall/reports"
)

// named is what variants are: words with dashes between them.
var named = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)

func TestEveryMutantHasANameOfItsOwnAndBreaksWhatTheCatalogueHas(t *testing.T) {
	all, err := selected(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	lawful, err := selected(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, m := range append(all, lawful...) {
		if taken[m.Name] {
			t.Errorf("there are two mutants %s", m.Name)
		}
		taken[m.Name] = true
		if !named.MatchString(m.Name) || m.Says == "" {
			t.Errorf("%s says %q: a mutant needs a name of words and says what it does", m.Name, m.Says)
		}
		if !m.differs {
			t.Errorf("%s is the reference", m.Name)
		}
		if (m.Lawful == "") != (len(m.breaks) > 0) {
			t.Errorf("%s breaks %v and is lawful because %q: it has to be one of the two", m.Name, m.breaks, m.Lawful)
		}
	}
}

func TestMutantsAreChosenByName(t *testing.T) {
	chosen, err := selected([]string{"hands-over-late", "deletes-first"}, false)
	if err != nil || len(chosen) != 2 || chosen[0].Name != "hands-over-late" || chosen[1].Name != "deletes-first" {
		t.Errorf("got %+v, %v", chosen, err)
	}
	if _, err := selected([]string{"one-worker"}, false); err == nil || !strings.Contains(err.Error(), "one-worker") {
		t.Errorf("got %v, want an error: it is lawful", err)
	}
}

func TestASampleTakesNoKubelets(t *testing.T) {
	all, err := selected(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	some := onEmbedded(all)
	if len(some) == 0 || len(some) == len(all) {
		t.Errorf("%d of %d show on embedded: want some, and not all", len(some), len(all))
	}
	for _, m := range some {
		if m.provider != "embedded" {
			t.Errorf("%s is tried on %s", m.Name, m.provider)
		}
	}
}

func TestVariantsAreTriedTogetherAsOne(t *testing.T) {
	both, err := selected([]string{"one-worker", "looks-twice"}, true)
	if err != nil {
		t.Fatal(err)
	}
	one := together(both)
	if len(one) != 1 || one[0].variant() != "one-worker,looks-twice" || one[0].broken() || !one[0].differs {
		t.Errorf("got %+v", one)
	}
	if alone := both[0].variant(); alone != "one-worker" {
		t.Errorf("got %q", alone)
	}
}

func TestAVariantIsTheReferenceButForItsProgram(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	executable := filepath.Join(t.TempDir(), "rollcall-variant")
	if err := os.WriteFile(executable, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	path, err := trial.WriteVariant(t.TempDir(), "one-worker", "one-worker", executable)
	if err != nil {
		t.Fatal(err)
	}
	written, err := implementation.Load(path, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	process, image := written.Launch.Process, written.Launch.Image
	if process.Executable != executable || process.Args[0] != "--variant=one-worker" || len(process.Manifests) != 3 {
		t.Errorf("process %q %q with %d manifests", process.Executable, process.Args, len(process.Manifests))
	}
	if image.GoPackage != trial.VariantProgram || len(image.Manifests) != 4 || !strings.Contains(string(image.Manifests[3].Content), "- --variant=one-worker") {
		t.Errorf("image of %q with %d manifests", image.GoPackage, len(image.Manifests))
	}
}

func TestAMutantIsKilledOnlyByAViolationOfWhatItBreaks(t *testing.T) {
	breaks := mutant{breaks: []requirements.ID{"SURGE-001", "SURGE-006"}}
	failed := func(id, named requirements.ID) reports.RequirementResult {
		return reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: reports.Fail, Violations: []reports.Violation{{Requirement: named}}}
	}
	with := func(id requirements.ID, verdict reports.Verdict) reports.RequirementResult {
		return reports.RequirementResult{Requirement: reports.Requirement{ID: id}, Verdict: verdict}
	}
	for _, row := range []struct {
		why     string
		results []reports.RequirementResult
		verdict string
		others  int
	}{
		{"both failed", []reports.RequirementResult{failed("SURGE-001", "SURGE-001"), failed("SURGE-006", "SURGE-006")}, "killed", 0},
		{"others failed too", []reports.RequirementResult{
			failed("SURGE-001", "SURGE-001"), failed("SURGE-006", "SURGE-006"), failed("SURGE-008", "SURGE-008"), with("SURGE-009", reports.Pass),
		}, "killed", 1},
		{"one passed", []reports.RequirementResult{failed("SURGE-001", "SURGE-001"), with("SURGE-006", reports.Pass)}, "SURVIVED (SURGE-006 pass)", 0},
		{"one was not run", []reports.RequirementResult{failed("SURGE-001", "SURGE-001"), with("SURGE-006", reports.NotRun)}, "SURVIVED (SURGE-006 not run)", 0},
		{"one could not be decided", []reports.RequirementResult{
			failed("SURGE-001", "SURGE-001"), with("SURGE-006", reports.Inconclusive),
		}, "SURVIVED (SURGE-006 inconclusive)", 0},
		{"a failure without a violation that names it", []reports.RequirementResult{
			failed("SURGE-001", "SURGE-001"), failed("SURGE-006", "SURGE-001"),
		}, "SURVIVED (SURGE-006 inconclusive)", 0},
		{"only others failed", []reports.RequirementResult{failed("SURGE-008", "SURGE-008")}, "SURVIVED (SURGE-001 not run, SURGE-006 not run)", 1},
	} {
		t.Run(row.why, func(t *testing.T) {
			r := result{mutant: breaks, verdicts: map[requirements.ID]reports.Verdict{}}
			r.read(&reports.ConformanceReport{Requirements: row.results})
			if r.verdict() != row.verdict {
				t.Errorf("verdict %q, want %q", r.verdict(), row.verdict)
			}
			if len(r.others()) != row.others {
				t.Errorf("failed too: %q, want %d", r.others(), row.others)
			}
		})
	}
}

func TestWhatNoSpecDecidesIsNotAskedFor(t *testing.T) {
	r := result{mutant: mutant{breaks: []requirements.ID{"SURGE-001", "X-001"}}, undecided: []requirements.ID{"X-001"},
		verdicts: map[requirements.ID]reports.Verdict{"SURGE-001": reports.Fail}}
	if r.verdict() != "killed" {
		t.Errorf("verdict %s, want killed", r.verdict())
	}
	r.undecided, r.verdicts = r.mutant.breaks, nil
	if r.proven() || r.verdict() != "SURVIVED (no spec decides any)" {
		t.Errorf("verdict %s, want survived", r.verdict())
	}
}

func TestALawfulVariantIsDoubtedByEveryVerdictButAPass(t *testing.T) {
	for verdict, want := range map[reports.Verdict]string{
		reports.Pass: "lawful (1 passed)", reports.Fail: "DOUBTED (SURGE-001 fail)", reports.Inconclusive: "DOUBTED (SURGE-001 inconclusive)",
		reports.Unsupported: "DOUBTED (nothing was run)", reports.NotRun: "DOUBTED (nothing was run)",
	} {
		r := result{mutant: mutant{Lawful: "because"}, verdicts: map[requirements.ID]reports.Verdict{}}
		r.read(&reports.ConformanceReport{Requirements: []reports.RequirementResult{{Requirement: reports.Requirement{ID: "SURGE-001"}, Verdict: verdict}}})
		if r.verdict() != want || r.proven() != (verdict == reports.Pass) {
			t.Errorf("%s: %s, proven %t", verdict, r.verdict(), r.proven())
		}
	}
}

func TestWhatKubernetesBreaksDoubtsNoLawfulVariant(t *testing.T) {
	ofServer := reports.Requirement{ID: "EVICT-016", Kubernetes: reports.Kubernetes{Behaviour: reports.Differs, By: reports.APIServer}}
	report := &reports.ConformanceReport{Requirements: []reports.RequirementResult{
		{Requirement: ofServer, Verdict: reports.Fail}, {Requirement: reports.Requirement{ID: "EVICT-001"}, Verdict: reports.Pass},
	}}
	r := result{mutant: mutant{Lawful: "because"}, verdicts: map[requirements.ID]reports.Verdict{}}
	if r.read(report); r.verdict() != "lawful (1 passed)" {
		t.Errorf("verdict %s, want lawful", r.verdict())
	}
}

func TestTheExitCodeTellsSurvivorsFromWhatCouldNotBeTried(t *testing.T) {
	breaks := mutant{breaks: []requirements.ID{"SURGE-001"}}
	killed := result{mutant: breaks, verdicts: map[requirements.ID]reports.Verdict{"SURGE-001": reports.Fail}}
	survived, notTried := result{mutant: breaks}, result{mutant: breaks, failure: errors.New("does not compile")}
	for _, row := range []struct {
		results []result
		want    int
	}{
		{[]result{killed, killed}, trial.ExitProven},
		{[]result{killed, survived}, trial.ExitNotProven},
		{[]result{killed, notTried}, trial.ExitNotTried},
		{[]result{notTried, survived}, trial.ExitNotProven},
		{[]result{survived, notTried}, trial.ExitNotProven},
	} {
		if got := exitCode(row.results); got != row.want {
			t.Errorf("exit code %d, want %d", got, row.want)
		}
	}
}
