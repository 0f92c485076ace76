package trial

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARunThatLeavesNoReportShowsWhatItSaid(t *testing.T) {
	folder := t.TempDir()
	command := filepath.Join(folder, "rollcall")
	if err := os.WriteFile(command, []byte("#!/bin/sh\necho \"$@\"\nexit 2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := Run{Rollcall: command, Dir: folder, Artifacts: filepath.Join(folder, "artifacts"), Args: []string{"-focus", "SURGE"}}
	_, err := run.Report(context.Background())
	want := "exit status 2); its output ends:\nrun -artifacts " + run.Artifacts + " -focus SURGE"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

func TestOnlyTheEndOfAnOutputIsShown(t *testing.T) {
	if got := tail("a\nb\nc\n\n", 2); got != "b\nc" {
		t.Errorf("got %q", got)
	}
	if got := tail("a", 2); got != "a" {
		t.Errorf("got %q", got)
	}
}
