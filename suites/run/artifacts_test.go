package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestResultsGoIntoNobodyElsesFolder(t *testing.T) {
	for name, row := range map[string]struct {
		holds   []string
		refused bool
	}{
		"empty":                             {nil, false},
		"empty folders":                     {[]string{"logs/", "a/b/"}, false},
		"rollcall's":                        {[]string{".rollcall", "notes", "logs/x"}, false},
		"folders of rollcall's":             {[]string{"kind/.rollcall", "kind/logs/x", "mutants/one/.rollcall"}, false},
		"a file":                            {[]string{"notes"}, true},
		"logs of somebody else":             {[]string{"logs/x"}, true},
		"a report that nobody marked":       {[]string{"report.yaml"}, true},
		"a file beside a folder that is so": {[]string{"kind/.rollcall", "notes"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			fill(t, root, row.holds...)
			a, err := openArtifacts(root, t.TempDir())
			if row.refused {
				if err == nil || !strings.Contains(err.Error(), "touch "+filepath.Join(root, reports.MarkFile)) {
					t.Errorf("want a refusal that says what to do, got %v", err)
				}
			} else if err != nil {
				t.Error(err)
			} else {
				a.release()
			}
			for _, path := range row.holds {
				if kept := filepath.Join(root, path); row.refused || path == "notes" {
					if _, err := os.Stat(kept); err != nil {
						t.Errorf("%s is gone: %v", path, err)
					}
				}
			}
			if _, err := os.Stat(filepath.Join(root, reports.MarkFile)); (err != nil) != row.refused {
				t.Errorf("refused: %v, but marked: %v", row.refused, err)
			}
		})
	}
}

func TestTheLastResultsAreKept(t *testing.T) {
	root := filepath.Join(t.TempDir(), "new")
	open := func() {
		t.Helper()
		a, err := openArtifacts(root, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		a.release()
	}
	open()
	fill(t, root, "report.yaml", "junit.xml", "recordings/one.jsonl", "logs/x", "notes", "kind/kubeconfig")
	open()
	expect(t, root, "previous/report.yaml", "previous/junit.xml", "previous/recordings/one.jsonl", "previous/logs/x", "notes", "kind/kubeconfig", "recordings", "logs")
	expect(t, root, "-report.yaml", "-recordings/one.jsonl", "-logs/x")
	// A run that never began takes nobody's place.
	fill(t, root, "report.yaml", "logs/y")
	open()
	expect(t, root, "previous/recordings/one.jsonl", "-previous/logs/y", "-logs/y", "-report.yaml")
	fill(t, root, "recordings/two.jsonl")
	open()
	expect(t, root, "previous/recordings/two.jsonl", "-previous/recordings/one.jsonl", "-previous/report.yaml")
}

func TestTwoRunsDoNotShareAFolder(t *testing.T) {
	root := t.TempDir()
	first, err := openArtifacts(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openArtifacts(root, t.TempDir()); err == nil || !strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("got %v", err)
	}
	first.release()
	second, err := openArtifacts(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	second.release()
}

func TestWhatKilledRunsLeftIsSwept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	running, remove, err := makeWork()
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(filepath.Dir(running), "run-left")
	fill(t, left, "certificates/key")
	other, removeOther, err := makeWork()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left stays: %v", err)
	}
	for _, dir := range []string{running, other} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	if err := errors.Join(remove(), removeOther()); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(running)); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// fill makes files, and folders where a path ends in a slash.
func fill(t *testing.T, root string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		dir := filepath.Join(root, filepath.Dir(path))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, "/") {
			write(t, filepath.Join(root, path), "x")
		}
	}
}

// expect asserts that the paths are there; those with a dash before them are not.
func expect(t *testing.T, root string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		name, gone := strings.CutPrefix(path, "-")
		_, err := os.Stat(filepath.Join(root, name))
		if (err != nil) != gone {
			t.Errorf("%s: %v", path, err)
		}
	}
}
