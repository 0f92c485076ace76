package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/apimachinery/pkg/util/wait"
)

// A control plane that `rollcall up` keeps has a folder in the cache, which goes with it:
//
//	up/NAME/.lock         locked as long as `rollcall up` runs
//	        state.json    once it is ready: what `rollcall run -on NAME` needs to know
//	        run.lock      locked by the run that uses it
//	        installed     what the runs' implementations had installed in the cluster
//	        work, logs    as of a run
const (
	upFolder      = "up"
	stateFile     = "state.json"
	runLockFile   = "run.lock"
	installedFile = "installed"
)

// warm is a control plane that `rollcall up` keeps.
type warm struct {
	// Name by which -on knows it, and the folder that it has in the cache.
	Name string `json:"name"`
	// PID of `rollcall up`, and when it was ready.
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	// Provider of the cluster, and what that needs: see place.
	Provider          string   `json:"provider"`
	KubernetesVersion string   `json:"kubernetesVersion"`
	Kubeconfig        string   `json:"kubeconfig"`
	RealNodes         []string `json:"realNodes,omitempty"`
	BinDir            string   `json:"binDir"`
	Images            string   `json:"images,omitempty"`
	Kind              string   `json:"kind,omitempty"`
	AuditFolder       string   `json:"auditFolder,omitempty"`
	// Replaces are the controllers that kube-controller-manager runs without.
	Replaces []string `json:"replaces,omitempty"`
	// Logs is the folder for the logs of its components.
	Logs string `json:"logs"`

	dir string
}

var warmName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// checkWarmName refuses what is no name: it becomes a folder's.
func checkWarmName(flag, name string) error {
	if !warmName.MatchString(name) {
		return usagef("%s %q: a name has lower-case letters, digits and dashes", flag, name)
	}
	return nil
}

// write makes the control plane known to runs: all at once, since one may be waiting.
func (w warm) write() error {
	text, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(w.dir, stateFile)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// appearTime is how long one that is not up yet is waited for: somebody may have started it in the same breath.
const appearTime = 3 * time.Second

// findWarm returns the control plane of that name. It waits for one that is starting.
func findWarm(ctx context.Context, name string, say func(string, ...any)) (*warm, error) {
	root, err := cacheDir(upFolder)
	if err != nil {
		return nil, err
	}
	var found *warm
	waiting, began := false, time.Now()
	err = wait.PollUntilContextCancel(ctx, progressInterval, true, func(context.Context) (bool, error) {
		up, err := isUp(root, name)
		if err != nil || !up {
			return err == nil && time.Since(began) > appearTime, err
		}
		if found, err = readWarm(root, name); errors.Is(err, os.ErrNotExist) {
			if !waiting {
				say("waiting for %s, which is starting", name)
			}
			waiting = true
			return false, nil
		}
		return true, err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("-on %s: %w", name, err)
	case found == nil:
		return nil, usagef("-on %s: no control plane of that name is up (%s): `rollcall up -name=%s`, in another terminal, starts one", name, whatIsUp(root), name)
	}
	return found, nil
}

// isUp reports whether the `rollcall up` of that name runs.
func isUp(root, name string) (bool, error) {
	if _, err := os.Stat(filepath.Join(root, name)); err != nil {
		return false, nil
	}
	// Shared, so that those who look do not take each other for it.
	lock := flock.New(filepath.Join(root, name, lockFile))
	free, err := lock.TryRLock()
	if err != nil {
		return false, err
	}
	return !free, lock.Unlock()
}

func readWarm(root, name string) (*warm, error) {
	dir := filepath.Join(root, name)
	text, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		return nil, err
	}
	w := &warm{dir: dir}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, stateFile), err)
	}
	return w, nil
}

// whatIsUp names the control planes that are.
func whatIsUp(root string) string {
	entries, err := os.ReadDir(root)
	var names []string
	for _, entry := range entries {
		if up, failed := isUp(root, entry.Name()); entry.IsDir() && failed == nil && up {
			names = append(names, entry.Name())
		}
	}
	if err != nil || len(names) == 0 {
		return "none is"
	}
	return "up: " + strings.Join(names, ", ")
}

// take gives the control plane to one run.
func (w *warm) take() (release func() error, err error) {
	lock := flock.New(filepath.Join(w.dir, runLockFile))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("-on %s: %w", w.Name, err)
	}
	if !locked {
		return nil, usagef("-on %s: another run uses it: wait for that, or start another control plane with `rollcall up -name=…`", w.Name)
	}
	return lock.Unlock, nil
}

// suits refuses an implementation that replaces other controllers than those that are off.
func (w *warm) suits(replaces []string) error {
	is, wants := slices.Sorted(slices.Values(w.Replaces)), slices.Sorted(slices.Values(replaces))
	if slices.Equal(is, wants) {
		return nil
	}
	return usagef("-on %s: its kube-controller-manager runs without %s, and the implementation replaces %s: start it with `rollcall up -name=%s -implementation=…` for this implementation",
		w.Name, listOr(is, "nothing"), listOr(wants, "nothing"), w.Name)
}

func listOr(all []string, none string) string {
	if len(all) == 0 {
		return none
	}
	return strings.Join(all, ", ")
}
