package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// patience is more than the daemon needs to answer, or to end.
	patience = time.Minute
	// lookAgain is how often it is asked.
	lookAgain = 200 * time.Millisecond
	// longestSocket is what the kernel takes for the path of a Unix socket; the daemon's own containerd has the longest.
	longestSocket = 107
)

// engine is a Docker engine with everything it writes below dir.
type engine struct{ dir string }

func (e engine) path(name string) string { return filepath.Join(e.dir, name) }

func (e engine) host() string { return "unix://" + e.path("docker.sock") }

// docker runs the client against this engine and returns the words it prints.
func (e engine) docker(ctx context.Context, args ...string) ([]string, error) {
	output, err := exec.CommandContext(ctx, "docker", append([]string{"--host", e.host()}, args...)...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, output)
	}
	return strings.Fields(string(output)), nil
}

func (e engine) start(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("only root can run an engine: become root, or install Docker the usual way")
	}
	if socket := e.path("exec/containerd/containerd-debug.sock"); len(socket) > longestSocket {
		return fmt.Errorf("%s is too long for a socket: give a shorter -dir", socket)
	}
	old, err := e.readState()
	if err != nil {
		return err
	}
	if old != nil && old.running() {
		say("already running, process %d", old.PID)
		if err := e.await(ctx, nil); err != nil {
			return err
		}
		return e.export()
	}
	if exec.CommandContext(ctx, "docker", "info").Run() == nil {
		return errors.New("this machine has a Docker engine that answers `docker info`: use that one")
	}
	if err := install(ctx); err != nil {
		return err
	}
	if err := e.launch(ctx, old); err != nil {
		return err
	}
	return e.export()
}

// export tells the shell where the engine is.
func (e engine) export() error {
	_, err := fmt.Printf("export DOCKER_HOST=%s\n", e.host())
	return err
}

// launch starts the daemon. What the machine was like before is known already if an earlier daemon ended without being stopped.
func (e engine) launch(ctx context.Context, old *state) error {
	if err := os.MkdirAll(e.dir, 0o711); err != nil {
		return err
	}
	var now state
	if old != nil {
		now.Before = old.Before
	} else {
		seen, err := lookAround(ctx)
		if err != nil {
			return err
		}
		now.Before = seen
	}
	if err := e.writeState(now); err != nil {
		return err
	}
	if err := raiseInstances(); err != nil {
		return fmt.Errorf("raising the limit of inotify instances: %w", err)
	}
	for _, name := range []string{"dockerd.pid", "exec/containerd/containerd.pid"} {
		if err := removeStale(e.path(name)); err != nil {
			return err
		}
	}
	runtime, err := e.runtime()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(e.path("dockerd.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	daemon := exec.Command("dockerd", append([]string{
		"--data-root", e.path("data"), "--exec-root", e.path("exec"), "--host", e.host(), "--pidfile", e.path("dockerd.pid"),
	}, runtime...)...)
	daemon.Stdout, daemon.Stderr = log, log
	// Detached, by setsid(2): what ends the shell or the CI step that called must not end the daemon.
	daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := daemon.Start(); err != nil {
		return err
	}
	now.PID, now.Started = daemon.Process.Pid, startOf(daemon.Process.Pid)
	if err := e.writeState(now); err != nil {
		return err
	}
	ended := make(chan struct{})
	// Why it ended is in its log.
	go func() { _ = daemon.Wait(); close(ended) }()
	return e.await(ctx, ended)
}

// runtime returns the daemon's arguments for the runtime that copes with missing capabilities; none where nothing is missing.
func (e engine) runtime() ([]string, error) {
	missing, err := missingCapabilities()
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	say("this machine lacks %s: containers go without, by way of %s", strings.Join(missing, ", "), runtimeName)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return nil, err
	}
	fresh := e.path(runtimeName + ".new")
	if err := os.WriteFile(fresh, text, 0o755); err != nil {
		return nil, err
	}
	if err := os.Rename(fresh, e.path(runtimeName)); err != nil {
		return nil, err
	}
	return []string{"--add-runtime", "rollcall=" + e.path(runtimeName), "--default-runtime", "rollcall"}, nil
}

// await returns when the engine answers. It gives up when the daemon ends.
func (e engine) await(ctx context.Context, ended <-chan struct{}) error {
	began := time.Now()
	err := until(ctx, func() (bool, error) {
		select {
		case <-ended:
			log, err := os.ReadFile(e.path("dockerd.log"))
			return false, errors.Join(fmt.Errorf("dockerd ended:\n%s", log[max(0, len(log)-3000):]), err)
		default:
		}
		_, err := e.docker(ctx, "info")
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the engine, whose log is %s: %w", e.path("dockerd.log"), err)
	}
	say("answers after %s", time.Since(began).Round(100*time.Millisecond))
	return nil
}

func (e engine) status(ctx context.Context) error {
	now, err := e.readState()
	if err != nil {
		return err
	}
	switch {
	case now == nil:
		return errors.New("not started")
	case !now.running():
		return errors.New("ended without being stopped: see " + e.path("dockerd.log"))
	}
	containers, err := e.docker(ctx, "ps", "--all", "--quiet")
	if err != nil {
		return err
	}
	say("process %d, %d containers", now.PID, len(containers))
	return e.export()
}

// until asks until it is told yes, or something is wrong.
func until(ctx context.Context, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("nothing after %s", patience))
	defer cancel()
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		if yes, err := done(); yes || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}
