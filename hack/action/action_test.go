// Package action tests the action of GitHub Actions that is in action.yml: its steps' scripts are run as a workflow would run them.
package action

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

// temp is the folder that a runner has for what its jobs leave out; here all jobs share it, and the first builds the command.
var temp string

func TestMain(m *testing.M) {
	var err error
	if temp, err = os.MkdirTemp("", "rollcall-action-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(temp); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// definition is as much of action.yml as runs scripts.
type definition struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

type step struct {
	Name string            `yaml:"name"`
	If   string            `yaml:"if"`
	Run  string            `yaml:"run"`
	Env  map[string]string `yaml:"env"`
}

func read(t *testing.T) definition {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var d definition
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

var expression = regexp.MustCompile(`\$\{\{ *inputs\.([a-z-]+) *\}\}`)

// digest is what the control plane is built from, in the key of the cache: not that of no file at all.
var digest = regexp.MustCompile(`^digest=([0-9a-f]{16})\n$`)

// job is a workflow's job with the action as its only step, in a folder of its own.
type job struct {
	inputs           map[string]string
	summary, outputs string
	env              []string
}

func newJob(t *testing.T, d definition, inputs map[string]string) job {
	t.Helper()
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	j := job{inputs: map[string]string{}, summary: filepath.Join(folder, "summary"), outputs: filepath.Join(folder, "outputs")}
	for name, input := range d.Inputs {
		j.inputs[name] = input.Default
	}
	j.inputs["artifacts"], j.inputs["seed"] = filepath.Join(folder, "artifacts"), "7"
	for name, value := range inputs {
		if _, known := d.Inputs[name]; !known {
			t.Fatalf("the action has no input %q", name)
		}
		j.inputs[name] = value
	}
	j.env = append(os.Environ(), "GITHUB_ACTION_PATH="+checkout, "RUNNER_TEMP="+temp, "GITHUB_STEP_SUMMARY="+j.summary, "GITHUB_OUTPUT="+j.outputs)
	return j
}

// play runs the scripts of the steps as a runner does: after a failure, only those with always(). It returns what they printed, and the first failure.
func (j job) play(t *testing.T, d definition) (said string, failure error) {
	t.Helper()
	for _, s := range d.Runs.Steps {
		if s.Run == "" || failure != nil && !strings.Contains(s.If, "always()") {
			continue
		}
		if _, err := os.Stat(filepath.Join(temp, "rollcall")); err == nil && s.Name == "Build rollcall" {
			continue
		}
		// That is how a runner calls it.
		command := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		command.Env = j.env
		for name, value := range s.Env {
			value = expression.ReplaceAllStringFunc(value, func(found string) string { return j.inputs[expression.FindStringSubmatch(found)[1]] })
			if strings.Contains(value, "${{") {
				t.Fatalf("step %q: %s is %q, which this test cannot evaluate", s.Name, name, value)
			}
			command.Env = append(command.Env, name+"="+value)
		}
		out, err := command.CombinedOutput()
		said += string(out)
		if err != nil && failure == nil {
			failure = fmt.Errorf("step %q: %w", s.Name, err)
		}
	}
	return said, failure
}

func TestTheActionRunsTheSuitesAndSaysWhatCameOut(t *testing.T) {
	d := read(t)
	j := newJob(t, d, map[string]string{"implementation": "reference", "focus": "API-001"})
	said, err := j.play(t, d)
	if err != nil {
		t.Fatalf("%v:\n%s", err, said)
	}
	summary, err := os.ReadFile(j.summary)
	if err != nil || !strings.Contains(string(summary), "reference") {
		t.Errorf("the summary of the step: %v\n%s", err, summary)
	}
	if _, err := os.Stat(filepath.Join(j.inputs["artifacts"], "report.yaml")); err != nil {
		t.Error(err)
	}
	outputs, err := os.ReadFile(j.outputs)
	if err != nil || !digest.Match(outputs) {
		t.Errorf("the key of the cache does not change with what it holds: %q, %v", outputs, err)
	}
}

func TestAFailureOfTheActionIsAnnotated(t *testing.T) {
	d := read(t)
	j := newJob(t, d, map[string]string{"implementation": "kube-controller-manager", "focus": "HISTORY-012"})
	said, err := j.play(t, d)
	if err == nil || !strings.Contains(err.Error(), `step "Run the suites": exit status 1`) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(said, "\n::error title=HISTORY-012") {
		t.Errorf("no annotation:\n%s", said)
	}
}

func TestBadInputOfTheActionIsSaidAndLeavesNoSummary(t *testing.T) {
	d := read(t)
	j := newJob(t, d, map[string]string{"implementation": "./missing.yaml"})
	said, err := j.play(t, d)
	if err == nil || !strings.Contains(err.Error(), "exit status 2") || !strings.Contains(said, "missing.yaml") {
		t.Errorf("got %v:\n%s", err, said)
	}
	if _, err := os.Stat(j.summary); err == nil {
		t.Error("there is a summary of a run that never began")
	}
}

// A value of an input in a script would be code, whoever wrote it.
func TestNoScriptHasAnInputInIt(t *testing.T) {
	for _, s := range read(t).Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %q: its script has an expression in it: pass it as an environment variable", s.Name)
		}
	}
}
