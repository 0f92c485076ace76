package rollcalltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/gobuild"
	"github.com/rollcall-conformance/rollcall/framework/process"
	"github.com/rollcall-conformance/rollcall/reports"
)

// command is the package of the rollcall command, of the version that the test's module requires.
const command = "github.com/rollcall-conformance/rollcall"

// run runs the suites as the rollcall command does, and returns the report. The error says why the run is no success. Without a report there is always one.
func (o Options) run(ctx context.Context, t *testing.T) (*reports.ConformanceReport, error) {
	if o.Controller == nil {
		return nil, errors.New("Options.Controller is nil: give the function that runs the controller")
	}
	dir := t.TempDir()
	file, err := o.writeImplementation(dir, t.Name())
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "build", "rollcall")
	if err := os.Mkdir(filepath.Dir(program), 0o755); err != nil {
		return nil, err
	}
	if err := gobuild.Build(ctx, gobuild.Options{Package: command, Output: program, Out: t.Output()}); err != nil {
		return nil, fmt.Errorf("build the rollcall command: %w", err)
	}
	return o.play(ctx, program, file, t.Output())
}

// play has the program, which is the rollcall command, run the suites, and returns the report. A context that ends interrupts it: it still ends its processes and writes
// its report.
func (o Options) play(ctx context.Context, program, file string, out io.Writer) (*reports.ConformanceReport, error) {
	// Nothing of the run may outlive this process, however it ends.
	tied, err := process.WrapForDeath(program, filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	began := time.Now().Truncate(time.Second)
	run := exec.CommandContext(ctx, tied, o.arguments(file)...)
	run.Stdout, run.Stderr = out, out
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	failure := run.Run()
	if failure != nil {
		failure = fmt.Errorf("rollcall run: %w", failure)
	}
	report, err := readReport(filepath.Join(o.Artifacts, reports.YAMLFile), began)
	return report, errors.Join(failure, err)
}

// arguments are those of `rollcall run`.
func (o Options) arguments(implementation string) []string {
	args := []string{"run", "-provider=" + embedded.ProviderName, "-implementation=" + implementation, "-artifacts=" + o.Artifacts}
	if o.KubernetesVersion != "" {
		args = append(args, "-kubernetes-version="+o.KubernetesVersion)
	}
	for _, focus := range o.Focus {
		args = append(args, "-focus="+focus)
	}
	return args
}

// readReport reads the report of a run that began then, or later. One of an earlier run is as good as none.
func readReport(path string, began time.Time) (*reports.ConformanceReport, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("there is no report: %w", err)
	}
	defer in.Close()
	report, err := reports.ReadYAML(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if report.Provenance.Started.Before(began) {
		return nil, fmt.Errorf("there is no report: %s is that of an earlier run", path)
	}
	return report, nil
}
