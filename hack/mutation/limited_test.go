package main

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// shell is a process that does what the script says, and is ended with the test.
func shell(ctx context.Context, script string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", script)
}

func TestAProcessThatTakesTooMuchProcessorTimeIsEnded(t *testing.T) {
	output, err := limited(shell(t.Context(), "echo begins; while :; do :; done"), time.Second)
	if !errors.Is(err, errTooLong) || string(output) != "begins\n" {
		t.Errorf("got %q, %v, want what it printed, and that it took too long", output, err)
	}
}

func TestTimeInWhichAProcessDoesNothingIsNotCounted(t *testing.T) {
	// As long as a process needs that shares its processor with others.
	output, err := limited(shell(t.Context(), "sleep 3; echo done"), time.Second)
	if err != nil || string(output) != "done\n" {
		t.Errorf("got %q, %v, want what it printed at its end", output, err)
	}
}

func TestAProcessThatFailsIsNotOneThatTookTooLong(t *testing.T) {
	output, err := limited(shell(t.Context(), "echo problem; exit 3"), time.Minute)
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 3 || errors.Is(err, errTooLong) || string(output) != "problem\n" {
		t.Errorf("got %q, %v, want what it printed, and its exit code", output, err)
	}
	if _, err := limited(shell(t.Context(), "kill -KILL $$"), time.Minute); err == nil || errors.Is(err, errTooLong) {
		t.Errorf("got %v of a process that somebody ended, want another error", err)
	}
}
