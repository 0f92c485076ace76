package run

import (
	"os"
	"os/signal"
	"slices"
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
