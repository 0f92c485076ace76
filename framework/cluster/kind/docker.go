package kind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// engineTimeout bounds the wait for an engine that hangs.
const engineTimeout = 20 * time.Second

// docker runs the Docker client for what kind's library does not do, and returns what it printed. The error holds the last line of its complaint.
func docker(ctx context.Context, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, "docker", args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		if err = cause(ctx, err); ctx.Err() != nil {
			return "", fmt.Errorf("docker %s: %w", args[0], err)
		}
		if said := strings.TrimPrefix(lastLine(stderr.String()), "Error response from daemon: "); said != "" {
			err = errors.New(said)
		}
		return "", fmt.Errorf("docker %s: %w", args[0], err)
	}
	return strings.TrimSpace(stdout.String()), nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// engine is what matters about the Docker engine.
type engine struct {
	CgroupVersion string
	// ServerErrors say why the engine does not answer: before 28.1 the docker command succeeded all the same.
	ServerErrors []string
}

// findEngine fails with what to do where no engine answers.
func findEngine(ctx context.Context) (engine, error) {
	asking, cancel := context.WithTimeoutCause(ctx, engineTimeout, fmt.Errorf("no answer within %s", engineTimeout))
	defer cancel()
	told, err := docker(asking, "info", "--format", "{{json .}}")
	if err != nil {
		return engine{}, noEngine(err)
	}
	var found engine
	if err := json.Unmarshal([]byte(told), &found); err != nil {
		return engine{}, fmt.Errorf("read what docker info says: %w", err)
	}
	if len(found.ServerErrors) > 0 {
		return engine{}, noEngine(errors.New(strings.Join(found.ServerErrors, "; ")))
	}
	return found, nil
}

func noEngine(err error) error {
	return fmt.Errorf(`no Docker engine answers (%w): start Docker, or on a bare Debian machine: eval "$(go run ./hack/docker-engine start)"`, err)
}

// withOutput adds what a command of kind's library printed last to the error that it was.
func withOutput(err error) error {
	if failed := kindexec.RunErrorForError(err); failed != nil && len(failed.Output) > 0 {
		return fmt.Errorf("%w: %s", err, lastLine(string(failed.Output)))
	}
	return err
}

// cause is why a command ended that may have been ended by the context.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
