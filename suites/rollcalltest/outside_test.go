package rollcalltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const goMod = `module example.com/outside

go 1.26.0

require github.com/rollcall-conformance/rollcall v0.0.0

replace github.com/rollcall-conformance/rollcall => `

// TestAModuleFromOutsideRunsTheSuites builds a module that is not rollcall's, and has its tests run the suites against a controller of its own: one that does
// what it claims, and one that does not.
func TestAModuleFromOutsideRunsTheSuites(t *testing.T) {
	module := outside(t)
	if testing.Short() {
		if said, err := golang(module, "test", "-c", "-o", filepath.Join(module, "outside.test"), "."); err != nil {
			t.Fatalf("the module does not compile: %v\n%s", err, said)
		}
		t.Skip("-short: it compiles; running it takes a control plane")
	}
	said, err := golang(module, "test", "-v", "-count=1", ".")
	if err == nil {
		t.Errorf("want TestWithoutSurge to fail")
	}
	for _, want := range []string{
		"--- PASS: TestConformance ", "--- PASS: TestConformance/SURGE-007 ", "--- PASS: TestConformance/RECOVERY-001 ", "--- SKIP: TestConformance/PDB-001 ",
		"--- FAIL: TestWithoutSurge ", "--- FAIL: TestWithoutSurge/SURGE-016 ",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q in what go test says", want)
		}
	}
	if _, err := os.Stat(filepath.Join(module, "_artifacts", "report.yaml")); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.Log(said)
	}
}

// outside writes the module, which takes rollcall from this checkout and all else from the module cache.
func outside(t *testing.T) (dir string) {
	t.Helper()
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": goMod + checkout + "\n", "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// golang runs the go command in the module and returns what it says.
func golang(module string, args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Dir = module
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	said, err := command.CombinedOutput()
	return string(said), err
}
