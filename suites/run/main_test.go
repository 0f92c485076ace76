package run

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestARunSurvivesItsTerminalOnlyUnderNohup(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("this test runs under nohup itself")
	}
	hangup := os.Signal(syscall.SIGHUP)
	if !slices.Contains(endingSignals(), hangup) {
		t.Error("the end of its terminal does not end a run in order")
	}
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	if slices.Contains(endingSignals(), hangup) {
		t.Error("nohup is not heeded")
	}
}

func TestEveryCommandDescribesItself(t *testing.T) {
	for _, c := range subcommands() {
		t.Run(c.name(), func(t *testing.T) {
			var out bytes.Buffer
			if _, err := dispatch(t.Context(), c.name(), []string{"-help"}, &out); !errors.Is(err, flag.ErrHelp) {
				t.Errorf("-help: %v", err)
			}
			if want := "rollcall " + c.name(); !strings.HasPrefix(out.String(), want) {
				t.Errorf("want %q, and what it does, first in:\n%s", want, out.String())
			}
		})
	}
}

func TestWhatTakesLinuxSaysSoElsewhere(t *testing.T) {
	refused := map[string]bool{"run": true, "up": true, "explore": true, "doctor": true, "build": true, "images": true, "job": true}
	for _, c := range subcommands() {
		err := c.refusedOn("darwin")
		if refused[c.name()] != (err != nil) || err != nil && (!errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "this is darwin")) {
			t.Errorf("%s: %v", c.name(), err)
		}
		if err := c.refusedOn("linux"); err != nil {
			t.Errorf("%s on Linux: %v", c.name(), err)
		}
	}
}
