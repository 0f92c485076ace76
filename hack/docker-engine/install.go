package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// install gets from Debian what is not there yet.
func install(ctx context.Context) (err error) {
	if len(missingPackages()) == 0 {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("%s must be installed, and only Debian's way of doing so is known here: %w", strings.Join(missingPackages(), ", "), err)
	}
	say("installing %s", strings.Join(missingPackages(), ", "))
	began := time.Now()
	allow, err := forbidServices()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, allow()) }()
	if err := aptGet(ctx, "update"); err != nil {
		return err
	}
	packages := missingPackages()
	// Debian 13 has the client in a package of its own; before, there is none of that name.
	if slices.Contains(packages, "docker.io") && exec.CommandContext(ctx, "apt-cache", "show", "docker-cli").Run() == nil {
		packages = append(packages, "docker-cli")
	}
	if err := aptGet(ctx, append([]string{"-y", "--no-install-recommends", "install"}, packages...)...); err != nil {
		return err
	}
	if missing := missingPackages(); len(missing) > 0 {
		return fmt.Errorf("%s: installed, but some program is still not in PATH", strings.Join(missing, ", "))
	}
	say("installed in %s", time.Since(began).Round(time.Second))
	return nil
}

// missingPackages names Debian's packages of the programs that are not there.
func missingPackages() []string {
	var packages []string
	for _, needed := range []struct{ program, pkg string }{
		{"dockerd", "docker.io"}, {"docker", "docker.io"}, {"containerd", "containerd"}, {"runc", "runc"}, {"iptables", "iptables"}, {"ip", "iproute2"},
	} {
		if _, err := exec.LookPath(needed.program); err != nil && !slices.Contains(packages, needed.pkg) {
			packages = append(packages, needed.pkg)
		}
	}
	return packages
}

func aptGet(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, "apt-get", append([]string{"-q"}, args...)...)
	command.Env = append(command.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// forbidServices keeps the packages from starting an engine of their own; it undoes that when called back. A policy that the machine has of
// its own stays.
func forbidServices() (allow func() error, err error) {
	const policy = "/usr/sbin/policy-rc.d"
	if _, err := os.Lstat(policy); !errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, err
	}
	if err := os.MkdirAll(filepath.Dir(policy), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(policy, []byte("#!/bin/sh\nexit 101\n"), 0o755); err != nil {
		return nil, fmt.Errorf("keeping packages from starting services: %w", err)
	}
	return func() error { return os.Remove(policy) }, nil
}
