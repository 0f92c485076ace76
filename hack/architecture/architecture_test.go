// Package architecture holds the project to its shape: which folders there are, and which way its packages depend on each other.
package architecture

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rollcall-conformance/rollcall"

// forbidden says which of the project's own trees a package, or its tests, must not import, and why.
var forbidden = []struct {
	from, to string
	tests    bool
	why      string
}{
	{"framework/", "suites/", true, "the harness serves any suite"},
	{"framework/", "impl/", true, "the harness knows no implementation"},
	{"reports", "framework/", true, "the report's schema stands on its own"},
	{"reports", "suites/", true, "the report's schema stands on its own"},
	{"reports", "impl/", true, "the report's schema stands on its own"},
	{"impl/", "suites/", true, "the reference is no part of the suite"},
	{"impl/", "framework/", false, "what impl ships must stand without the harness; its tests may use the judges"},
	{"impl/", "reports", true, "the reference is no part of the suite"},
	{"suites/", "impl/", true, "the suite treats the reference like any other implementation"},
	{"fixtures/", "framework/", true, "fixtures are data"},
	{"fixtures/", "suites/", true, "fixtures are data"},
	{"framework/history", "framework/recorder", true, "judging needs no cluster"},
	{"framework/rules", "framework/recorder", true, "judging needs no cluster"},
	{"framework/rules", "framework/cluster", true, "judging needs no cluster"},
	{"framework/judge", "framework/recorder", true, "judging needs no cluster"},
	{"framework/judge", "framework/cluster", true, "judging needs no cluster"},
}

// pure are packages that must not reach a cluster, by themselves or through what they import.
var pure = []string{"framework/audit", "framework/refusals", "framework/history", "framework/judge", "framework/rules", "framework/matchers", "framework/state", "framework/verdict", "framework/story", "framework/workload", "impl/daemonset/plan", "impl/disruption/plan", "impl/inplace", "impl/statefulset/plan", "impl/united/plan", "reports"}

type goPackage struct {
	ImportPath                               string
	Imports, TestImports, XTestImports, Deps []string
}

func TestPackagesDependInOneDirection(t *testing.T) {
	packages := listPackages(t)
	for _, rule := range forbidden {
		found := false
		for _, p := range packages {
			from := within(p.ImportPath)
			if !strings.HasPrefix(from, rule.from) {
				continue
			}
			found = true
			imports := p.Imports
			if rule.tests {
				imports = slices.Concat(imports, p.TestImports, p.XTestImports)
			}
			for _, imported := range imports {
				if strings.HasPrefix(imported, module) && strings.HasPrefix(within(imported), rule.to) {
					t.Errorf("%s imports %s: %s", from, within(imported), rule.why)
				}
			}
		}
		if !found {
			t.Errorf("no package is below %s", rule.from)
		}
	}
}

func TestWhatShouldBePureReachesNoCluster(t *testing.T) {
	seen := 0
	for _, p := range listPackages(t) {
		if !slices.Contains(pure, within(p.ImportPath)) {
			continue
		}
		seen++
		for _, dependency := range p.Deps {
			if dependency == "k8s.io/client-go/rest" || dependency == "k8s.io/client-go/kubernetes" {
				t.Errorf("%s depends on %s", within(p.ImportPath), dependency)
			}
		}
	}
	if seen != len(pure) {
		t.Errorf("found %d of the %d packages that should be pure", seen, len(pure))
	}
}

// TestTheReferenceShipsNoVariant looks at all that the program is made of.
func TestTheReferenceShipsNoVariant(t *testing.T) {
	for _, p := range listPackages(t) {
		if within(p.ImportPath) == "impl/cmd/rollcall-reference" {
			if i := slices.IndexFunc(p.Deps, func(dep string) bool { return strings.HasPrefix(dep, module) && strings.HasSuffix(dep, "/variants") }); i >= 0 {
				t.Errorf("rollcall-reference contains variants of itself: %s", p.Deps[i])
			}
			return
		}
	}
	t.Error("there is no impl/cmd/rollcall-reference")
}

func TestTheTopLevelIsTheDesigns(t *testing.T) {
	allowed := []string{
		".ci", ".gitignore", "LICENSE", "Makefile", "README.md", "docs", "fixtures", "framework", "go.mod", "go.sum", "hack", "impl", "main.go",
		"reports", "suites",
		// What open projects keep there.
		".github", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "action.yml",
		// Not part of the project: git's own folder, and what a run leaves behind.
		".git", "_artifacts", "_explore", "_release", "_watch",
	}
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(allowed, entry.Name()) {
			t.Errorf("the design has no %s at the top level", entry.Name())
		}
	}
}

func TestTheMapNamesEveryPart(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range []string{"framework", "impl"} {
		entries, err := os.ReadDir(filepath.Join(root(t), parts))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if name := parts + "/" + entry.Name(); !strings.Contains(string(text), name) {
				t.Errorf("docs/architecture.md does not name %s", name)
			}
		}
	}
}

func within(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func root(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", "./...")
	list.Dir = root(t)
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	var packages []goPackage
	for {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	return packages
}
