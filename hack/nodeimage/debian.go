package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// debianKeyring is where Debian keeps the keys of its archive.
const debianKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// debianSources returns the lines of a sources.list for Debian's own archive as this machine is set up to reach it: no mirror is named here, and what
// others publish for Debian stays out.
func debianSources(ctx context.Context) ([]string, error) {
	const format = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
	targets := func() (string, error) {
		output, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", format, "Created-By: Packages").Output()
		return string(output), err
	}
	listed, err := targets()
	if err != nil {
		return nil, fmt.Errorf("asking apt for the machine's sources, which takes a Debian machine: %w", err)
	}
	if !strings.Contains(listed, "Debian|") { // never updated: apt then knows no origins
		if err := aptGet(ctx, "update"); err != nil {
			return nil, err
		}
		if listed, err = targets(); err != nil {
			return nil, err
		}
	}
	option := ""
	if _, err := os.Stat(debianKeyring); err == nil {
		option = "[signed-by=" + debianKeyring + "] "
	}
	var sources []string
	for _, line := range strings.Split(strings.TrimSpace(listed), "\n") {
		if fields := strings.Split(line, "|"); len(fields) == 4 && fields[0] == "Debian" {
			sources = append(sources, fmt.Sprintf("deb %s%s %s %s", option, fields[1], fields[2], fields[3]))
		}
	}
	if len(sources) == 0 {
		return nil, errors.New("apt on this machine has no source of Debian's own")
	}
	return sources, nil
}

func aptGet(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, "apt-get", append([]string{"-q", "-y"}, args...)...)
	command.Env = append(command.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// needMmdebstrap installs what makes root file systems.
func needMmdebstrap(ctx context.Context) error {
	if _, err := exec.LookPath("mmdebstrap"); err == nil {
		return nil
	}
	if os.Geteuid() != 0 {
		return errors.New("mmdebstrap is missing: apt-get install mmdebstrap")
	}
	return timed("installing mmdebstrap", func() error {
		return errors.Join(aptGet(ctx, "update"), aptGet(ctx, "--no-install-recommends", "install", "mmdebstrap"))
	})
}
