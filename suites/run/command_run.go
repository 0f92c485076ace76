package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// stopTimeout bounds taking everything down.
const stopTimeout = 30 * time.Second

// suiteRun is one `rollcall run` under way.
type suiteRun struct {
	options        options
	selection      []string
	out            io.Writer
	catalogue      *requirements.Catalogue
	implementation *implementation.Implementation
	artifacts      artifacts

	began             time.Time
	kubernetesVersion string
	harnessFailure    string
}

// runSuites is `rollcall run`. Bad input is found before anything is written or started; from then on there is always a report.
func runSuites(ctx context.Context, args []string, out io.Writer) (int, error) {
	o, err := parseRun(args, out)
	if err != nil {
		return exitUsage, err
	}
	specs := specTree()
	catalogue, _, err := loadCatalogue(specs)
	if err != nil {
		return exitHarness, err
	}
	selection, err := o.selection(catalogue, specs)
	if err != nil {
		return exitUsage, err
	}
	tested, err := implementation.Load(o.implementation, catalogue)
	if err != nil {
		return exitUsage, usageError{err}
	}
	binaries, err := ensureBinaries(ctx, o.kubernetesVersion, out)
	if err != nil {
		return exitHarness, err
	}
	folders, err := openArtifacts(o.artifacts)
	if err != nil {
		return exitUsage, usageError{err}
	}
	defer folders.release()

	r := &suiteRun{
		options: o, selection: selection, out: out, catalogue: catalogue, implementation: tested, artifacts: folders,
		began: time.Now(), kubernetesVersion: binaries.KubernetesVersion,
	}
	if err := r.runOn(ctx, binaries); err != nil {
		r.harnessFailure = err.Error()
		fmt.Fprintf(out, "rollcall: %v\n", err)
	}
	return r.finish(ctx, specs)
}

// runOn brings up the cluster and the implementation, has the specs run, and takes everything down.
func (r *suiteRun) runOn(ctx context.Context, binaries controlplane.Binaries) (err error) {
	// Specs run in another working directory.
	file, err := implementation.Locate(r.options.implementation)
	if err != nil {
		return err
	}
	r.say("%s on %s, Kubernetes %s, seed %d", r.implementation.Name, r.options.provider, binaries.KubernetesVersion, r.options.seed)
	executable, err := r.implementation.BuildExecutable(ctx, r.artifacts.work, binaries.Dir)
	if err != nil {
		return err
	}
	started := time.Now()
	control, err := embedded.Start(ctx, embedded.Options{
		Binary: binaries.Path, KubernetesVersion: binaries.KubernetesVersion,
		Dir: r.artifacts.work, LogDir: r.artifacts.logs, DisabledControllers: r.implementation.Replaces,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stop(control.Stop)) }()
	r.say("control plane ready in %.1f s", time.Since(started).Seconds())

	started = time.Now()
	running, err := implementation.Launch(ctx, r.implementation, implementation.LaunchOptions{
		Cluster: control, Executable: executable, RunDir: filepath.Join(r.artifacts.work, "implementation"), BinDir: binaries.Dir,
		LogPath: filepath.Join(r.artifacts.logs, r.implementation.Name+".implementation.log"),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stop(running.Stop)) }()
	r.say("%s ready in %.1f s", r.implementation.Name, time.Since(started).Seconds())

	session := filepath.Join(r.artifacts.work, "session.json")
	admin, err := control.KubeconfigFor(ctx, "rollcall", "system:masters")
	if err != nil {
		return err
	}
	if err := (spec.Session{
		Kubeconfig: admin, Recordings: r.artifacts.recordings, Artifacts: r.artifacts.root,
		RevisionLabel: r.implementation.RevisionLabel, Features: r.implementation.Features,
		Seed: r.options.seed, Patience: r.options.patience,
		Launch: spec.Launch{
			Implementation: file, Executable: executable, BinDir: binaries.Dir, KubernetesVersion: binaries.KubernetesVersion,
			Work: r.artifacts.work, Logs: r.artifacts.logs,
		},
	}).Write(session); err != nil {
		return err
	}
	if err := startSpecs(ctx, r.out, r.options, r.artifacts.work, session, r.artifacts.ginkgo, r.selection); err != nil {
		return err
	}
	if status := running.ExitStatus(); status != "" {
		return fmt.Errorf("%s ended on its own during the run (%s); its log ends:\n%s", r.implementation.Name, status, running.LogTail(20))
	}
	return nil
}

// finish writes the report and tells its exit code.
func (r *suiteRun) finish(ctx context.Context, specs []specReport) (int, error) {
	ran, err := readSpecReports(r.artifacts.ginkgo)
	if err != nil {
		if r.harnessFailure == "" {
			r.harnessFailure = err.Error()
		}
		ran = specs
	}
	outcomes, observations := collect(ran, r.why(ctx))
	report, err := reports.Assemble(reports.Run{
		Implementation: r.describeImplementation(),
		Provenance:     r.provenance(ctx.Err() != nil),
		Catalogue:      rows(r.catalogue),
		Outcomes:       outcomes,
		Observations:   observations,
	})
	if err != nil {
		return exitHarness, err
	}
	if err := reports.WriteFiles(r.artifacts.root, report); err != nil {
		return exitHarness, err
	}
	err = reports.Summary(r.out, report, reports.SummaryOptions{Color: isTerminal(os.Stdout), Paths: []reports.Path{
		{Label: "report", Path: filepath.Join(r.artifacts.root, reports.YAMLFile)},
		{Label: "recordings", Path: r.artifacts.recordings},
		{Label: "logs", Path: r.artifacts.logs},
	}})
	n := report.Statistics
	fmt.Fprintf(r.out, "requirements: %d passed, %d failed, %d skipped\n", n.Passed, n.Failed+n.Inconclusive, n.Unsupported+n.NotRun)
	return reports.ExitCode(report), err
}

// why is the reason of whatever did not run.
func (r *suiteRun) why(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return "the run was interrupted"
	case r.harnessFailure != "":
		return "the harness failed before"
	}
	return "not selected"
}

// stop gives a component time to end although the run may have been interrupted.
func (r *suiteRun) stop(stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return stop(ctx)
}

func (r *suiteRun) say(format string, args ...any) {
	fmt.Fprintf(r.out, "rollcall: "+format+"\n", args...)
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
