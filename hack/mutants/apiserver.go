package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

const (
	// apiServerProgram is the package of the command that answers wrongly.
	apiServerProgram = "github.com/rollcall-conformance/rollcall/hack/mutants/rollcall-apiserver"
	kubeAPIServer    = "kube-apiserver"
)

// apiServers has control planes run with an API server that has a fault.
type apiServers struct {
	// cache is where rollcall keeps its programs, front the program that has the faults.
	cache, front string
	programs     controlplane.Binaries
}

// newAPIServers builds what the cache lacks.
func newAPIServers(ctx context.Context, front string) (*apiServers, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find rollcall's cache: %w", err)
	}
	programs, err := controlplane.Ensure(ctx, controlplane.Options{Out: os.Stderr})
	if err != nil {
		return nil, err
	}
	return &apiServers{cache: filepath.Join(base, "rollcall"), front: front, programs: programs}, nil
}

// environment makes, in the folder, a cache for rollcall in which kube-apiserver has the fault and all else is as in the real one, and returns the variable
// that has rollcall use it.
func (a *apiServers) environment(folder, fault string) (string, error) {
	cache := filepath.Join(folder, "rollcall")
	for _, name := range controlplane.Names() {
		program := a.programs.Path(name)
		within, err := filepath.Rel(a.cache, program)
		if err != nil {
			return "", err
		}
		link := filepath.Join(cache, within)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return "", fmt.Errorf("make a cache: %w", err)
		}
		if name == kubeAPIServer {
			err = a.replace(program, link, fault)
		} else {
			err = linkWithRecord(program, link)
		}
		if err != nil {
			return "", fmt.Errorf("fill a cache: %w", err)
		}
	}
	return "XDG_CACHE_HOME=" + folder, a.share(cache)
}

// share links all else that the real cache has, but for what belongs to its own programs.
func (a *apiServers) share(cache string) error {
	entries, err := os.ReadDir(a.cache)
	if err != nil {
		return fmt.Errorf("read rollcall's cache: %w", err)
	}
	for _, entry := range entries {
		path := filepath.Join(cache, entry.Name())
		if _, err := os.Lstat(path); err == nil || entry.Name() == "bin" {
			continue
		}
		if err := os.Symlink(filepath.Join(a.cache, entry.Name()), path); err != nil {
			return fmt.Errorf("share rollcall's cache: %w", err)
		}
	}
	return nil
}

func linkWithRecord(program, link string) error {
	if err := os.Symlink(program+recordSuffix, link+recordSuffix); err != nil {
		return err
	}
	return os.Symlink(program, link)
}

// recordSuffix ends the name of the file that says how a program of the cache was built.
const recordSuffix = ".json"

// replace writes a script that runs the front, and a record by which the cache takes it for the program.
func (a *apiServers) replace(program, script, fault string) error {
	text := fmt.Sprintf("#!/bin/sh\nexec %s --fault=%s --behind=%s \"$@\"\n", shellescape.Quote(a.front), fault, shellescape.Quote(program))
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		return err
	}
	recorded, err := os.ReadFile(program + recordSuffix)
	if err != nil {
		return err
	}
	var record map[string]any
	if err := json.Unmarshal(recorded, &record); err != nil {
		return err
	}
	info, err := os.Stat(script)
	if err != nil {
		return err
	}
	record["size"], record["modTime"] = info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)
	if recorded, err = json.Marshal(record); err != nil {
		return err
	}
	return os.WriteFile(script+recordSuffix, recorded, 0o644)
}
