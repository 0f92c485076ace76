package rollcalltest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
)

// interruptible is a command that runs until it is interrupted. Only then it writes its report, and ends with the code of a run that is undecided.
const interruptible = `#!/bin/sh
trap 'cp -r made "$ARTIFACTS"; echo the report is written; exit 3' INT
touch running
while :; do sleep 0.05; done
`

// TestARunThatIsInterruptedStillGivesItsReport is about what happens before the deadline of go test, and at Ctrl-C.
func TestARunThatIsInterruptedStillGivesItsReport(t *testing.T) {
	t.Chdir(t.TempDir())
	artifacts := filepath.Join(t.TempDir(), "artifacts")
	t.Setenv("ARTIFACTS", artifacts)
	program := filepath.Join(t.TempDir(), "rollcall")
	if err := os.WriteFile(program, []byte(interruptible), 0o700); err != nil {
		t.Fatal(err)
	}
	report := passing(reports.Provenance{Started: time.Now().UTC().Add(time.Hour), Interrupted: true})
	if err := formats.WriteFiles("made", report); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		defer interrupt()
		_ = wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
			_, err := os.Stat("running")
			return err == nil, nil
		})
	}()
	var said strings.Builder
	read, failure := Options{Artifacts: artifacts}.withDefaults().play(ctx, program, filepath.Join(t.TempDir(), "implementation.yaml"), &said)
	if read == nil || !read.Provenance.Interrupted {
		t.Fatalf("no report of the interrupted run, but %v; it said %q", failure, said.String())
	}
	if failure == nil || !strings.Contains(said.String(), "the report is written") {
		t.Errorf("the run is no success, and was not awaited: %v; it said %q", failure, said.String())
	}
}
