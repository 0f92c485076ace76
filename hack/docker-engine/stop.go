package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// stop ends the engine and all containers that it has, and gives the machine its packet filter, links and mounts back.
func (e engine) stop(ctx context.Context, removeData bool) error {
	now, err := e.readState()
	if err != nil {
		return err
	}
	if now == nil {
		say("not started, nothing to stop")
		return nil
	}
	if !now.running() {
		// Its containers may well be running. Only a daemon can find and end them all.
		say("the daemon ended by itself: starting it once more, to clean up")
		if err := e.launch(ctx, now); err != nil {
			return err
		}
		if now, err = e.readState(); err != nil {
			return err
		}
	}
	if err := e.empty(ctx); err != nil {
		return err
	}
	if err := syscall.Kill(now.PID, syscall.SIGTERM); err != nil {
		return fmt.Errorf("ending dockerd, process %d: %w", now.PID, err)
	}
	if err := until(ctx, func() (bool, error) { return !now.running(), nil }); err != nil {
		return fmt.Errorf("waiting for dockerd, process %d, to end: %w", now.PID, err)
	}
	errs := []error{unmountBelow(ctx, e.dir), restoreLinks(ctx, now.Before.Links), restoreRules(ctx, now.Before.Rules)}
	errs = append(errs, os.WriteFile(forwardingPath, []byte(now.Before.Forwarding), 0o644))
	if now.Before.Instances != "" {
		errs = append(errs, os.WriteFile(instancesPath, []byte(now.Before.Instances), 0o644))
	}
	leftovers := []string{"exec", "docker.sock", "dockerd.pid", runtimeName}
	if removeData {
		leftovers = append(leftovers, "data", "dockerd.log")
	}
	if errors.Join(errs...) == nil { // what is still mounted must not be emptied
		for _, name := range leftovers {
			errs = append(errs, os.RemoveAll(e.path(name)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the engine has ended, but not all of it is gone: %w", err)
	}
	if err := os.Remove(e.statePath()); err != nil {
		return err
	}
	say("stopped")
	return nil
}

// empty removes all containers with their volumes, and all networks.
func (e engine) empty(ctx context.Context) error {
	containers, err := e.docker(ctx, "ps", "--all", "--quiet")
	if err != nil {
		return err
	}
	if len(containers) > 0 {
		say("removing %d containers", len(containers))
		if _, err := e.docker(ctx, append([]string{"rm", "--force", "--volumes"}, containers...)...); err != nil {
			return err
		}
	}
	_, err = e.docker(ctx, "network", "prune", "--force")
	return err
}

// unmountBelow unmounts what is in dir, the innermost first.
func unmountBelow(ctx context.Context, dir string) error {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	var errs []error
	for _, line := range slices.Backward(strings.Split(strings.TrimSpace(string(table)), "\n")) {
		point := strings.Fields(line)[4]
		if !strings.HasPrefix(point, dir+"/") {
			continue
		}
		if output, err := exec.CommandContext(ctx, "umount", point).CombinedOutput(); err != nil {
			errs = append(errs, fmt.Errorf("umount %s: %w: %s", point, err, output))
		}
	}
	return errors.Join(errs...)
}

// restoreLinks removes the engine's bridges.
func restoreLinks(ctx context.Context, before []string) error {
	links, err := os.ReadDir("/sys/class/net")
	if err != nil {
		return err
	}
	var errs []error
	for _, link := range links {
		name := link.Name()
		if slices.Contains(before, name) || name != "docker0" && !strings.HasPrefix(name, "br-") {
			continue
		}
		if output, err := exec.CommandContext(ctx, "ip", "link", "delete", name).CombinedOutput(); err != nil {
			errs = append(errs, fmt.Errorf("ip link delete %s: %w: %s", name, err, output))
		}
	}
	return errors.Join(errs...)
}
