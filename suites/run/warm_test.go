package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// up makes what `rollcall up` does, without a control plane.
func up(t *testing.T, name string) string {
	t.Helper()
	dir, remove, err := makeTemporary(upFolder, func(root string) (string, error) {
		dir := filepath.Join(root, name)
		return dir, os.Mkdir(dir, 0o700)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func silent(string, ...any) {}

func TestAControlPlaneIsFoundByItsName(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := up(t, "mine")
	want := warm{Name: "mine", Provider: "embedded", KubernetesVersion: "v1.37.0", Kubeconfig: "/k", Replaces: []string{"daemonset-controller"}, dir: dir}
	var waited []string
	got, err := findWarm(t.Context(), "mine", func(string, ...any) {
		waited = append(waited, "once")
		// It is up only once somebody waits for it.
		if err := want.write(); err != nil {
			t.Error(err)
		}
	})
	if err != nil || got.Kubeconfig != "/k" || got.dir != dir {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(waited) != 1 {
		t.Errorf("it was said %d times that it is waited for", len(waited))
	}
	if _, _, err := makeTemporary(upFolder, func(string) (string, error) { return dir, os.Mkdir(dir, 0o700) }); !errors.Is(err, errTaken) {
		t.Errorf("a second one of the name: %v", err)
	}
}

func TestOneThatIsNotUpIsNotUsed(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	other := up(t, "other")
	// What a killed one left, state and all.
	left := filepath.Join(filepath.Dir(other), "mine")
	fill(t, left, lockFile)
	if err := (warm{Name: "mine", dir: left}).write(); err != nil {
		t.Fatal(err)
	}
	_, err := findWarm(t.Context(), "mine", silent)
	if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "up: other") || !strings.Contains(err.Error(), "rollcall up -name=mine") {
		t.Errorf("got %v", err)
	}
	up(t, "third")
	expect(t, filepath.Dir(other), "other", "-mine")
}

func TestOneRunUsesItAtATime(t *testing.T) {
	w := &warm{Name: "mine", dir: t.TempDir()}
	release, err := w.take()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.take(); !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "another run uses it") {
		t.Errorf("got %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if release, err = w.take(); err != nil {
		t.Fatal(err)
	}
	_ = release()
}

func TestAnImplementationMustReplaceWhatIsOff(t *testing.T) {
	w := &warm{Name: "mine", Replaces: []string{"b", "a"}}
	if err := w.suits([]string{"a", "b"}); err != nil {
		t.Error(err)
	}
	for _, replaces := range [][]string{nil, {"a"}, {"a", "b", "c"}} {
		if err := w.suits(replaces); !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "runs without a, b") {
			t.Errorf("%v: got %v", replaces, err)
		}
	}
}

func TestWhatIsInstalledIsNotedBeforeItIs(t *testing.T) {
	i := inventory(filepath.Join(t.TempDir(), installedFile))
	if err := i.write([]installed{{"v1", "Namespace", "", "a"}}); err != nil {
		t.Fatal(err)
	}
	// Nothing to remove, so no cluster is asked.
	if err := i.change(context.Background(), nil, nil); err == nil {
		t.Error("what was installed was forgotten without being removed")
	}
	if text, err := os.ReadFile(string(i)); err != nil || !strings.Contains(string(text), "Namespace") {
		t.Errorf("got %s, %v", text, err)
	}
}
