package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// stopTimeout bounds taking a part of everything down: a namespace with pods of real kubelets in it takes its time.
const stopTimeout = 2 * time.Minute

// suiteRun is one `rollcall run` under way.
type suiteRun struct {
	options        options
	selection      selection
	out            *console
	events         *events
	catalogue      *requirements.Catalogue
	implementation *implementation.Implementation
	artifacts      artifacts

	began             time.Time
	place             *place
	kubernetesVersion string
	// harnessFailure and implementationFailure say what cut the run short; empty if nothing did.
	harnessFailure, implementationFailure string
	// baseline is the report that this one must be no worse than; nil if none was named.
	baseline *reports.ConformanceReport
	// stopped says why the run was ended before all specs had run, if options asked for that; endedEarly, why it was though nobody asked.
	stopped, endedEarly string
}

// runSuites is `rollcall run`. Bad input is found before anything is written or started; from then on there is always a report.
func runSuites(ctx context.Context, args []string, out io.Writer) (int, error) {
	if os.Getenv(parentVariable) != "" {
		return exitHarness, fmt.Errorf("a run began in a process of another's specs (%s is set): a program that embeds the suites calls run.Main before all else", parentVariable)
	}
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
	var baseline *reports.ConformanceReport
	if o.baseline != "" {
		// Now: it may be that of the run before, in the very folder.
		if baseline, err = readReportAt(o.baseline); err != nil {
			return exitUsage, usagef("-baseline: %w", err)
		}
	}
	if o.list {
		return exitConformant, listSpecs(out, selection, specs)
	}
	text, told := streams(o.json, out, os.Stderr)
	tested, err := implementation.Load(o.implementation, catalogue)
	if err != nil {
		return exitUsage, usageError{err}
	}
	if err := o.decidesAnything(selection, tested, catalogue, specs); err != nil {
		return exitUsage, err
	}
	where, err := o.choose(ctx, text)
	if err != nil {
		return exitUsage, err
	}
	if kept, ok := where.(*warmProvider); ok {
		if err := kept.warm.suits(tested.Replaces); err != nil {
			return exitUsage, err
		}
		defer kept.end()
	}
	version, err := where.check(ctx)
	if err != nil {
		return exitHarness, err
	}
	if o.dryRun {
		return exitConformant, o.printPlan(out, where.name()+", Kubernetes "+version, tested, selection, catalogue, specs)
	}
	if err := where.prepare(ctx); err != nil {
		return exitHarness, err
	}
	work, removeWork, err := makeWork()
	if err != nil {
		return exitHarness, err
	}
	defer func() {
		if err := removeWork(); err != nil {
			fmt.Fprintf(os.Stderr, "rollcall: tidy up: %v\n", err)
		}
	}()
	folders, err := openArtifacts(o.artifacts, work)
	if err != nil {
		return exitUsage, usageError{err}
	}
	defer folders.release()

	r := &suiteRun{options: o, selection: selection, out: &console{out: text, terminal: showsText(o.json)}, events: told, catalogue: catalogue, baseline: baseline, implementation: tested, artifacts: folders, began: time.Now()}
	if err := r.record(); err != nil {
		return exitHarness, err
	}
	r.failedBy(r.runOn(ctx, where))
	return r.finish(ctx, specs)
}

// runOn brings up the cluster and the implementation, has the specs run, and takes everything down. What cannot be taken down is noted apart from its error: it counts
// also where an interruption is the reason for that.
func (r *suiteRun) runOn(ctx context.Context, provider provider) (err error) {
	// Specs run in another working directory.
	file, err := implementation.Locate(r.options.implementation)
	if err != nil {
		return err
	}
	r.say("%s, seed %d", r.implementation.Name, r.options.seed)
	built, err := r.build(ctx, provider)
	if err != nil {
		return interrupted(ctx, err)
	}
	started := time.Now()
	where, err := provider.start(ctx, r)
	if where != nil {
		defer func() { r.failedBy(r.takeDown(where, err)) }()
	}
	if err != nil {
		return interrupted(ctx, err)
	}
	r.place, r.kubernetesVersion = where, where.KubernetesVersion()
	r.options.procs = min(r.options.procs, len(r.selection.texts))
	if err := r.record(); err != nil {
		return err
	}
	kept := ""
	if where.on != "" {
		kept = ", kept as " + where.on
	}
	r.say("%s%s, Kubernetes %s, ready in %.1f s", where.Provider(), kept, r.kubernetesVersion, time.Since(started).Seconds())
	started = time.Now()
	running, err := implementation.Launch(ctx, r.implementation, where.launchOptions(r, built))
	if err != nil {
		return interrupted(ctx, err)
	}
	if !where.keep {
		defer func() {
			r.failedBy(r.stop(where.vacate))
			r.failedBy(r.stop(running.Stop))
		}()
	}
	r.say("%s ready in %.1f s", r.implementation.Name, time.Since(started).Seconds())
	planes := where.lender(r)
	watcher, err := supervise(r, running, planes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(watcher.end(), r.stop(planes.end), err, watcher.failure()) }()

	told, err := where.session(r, file, built)
	if err != nil {
		return err
	}
	told.Supervisor = watcher.address
	session := filepath.Join(r.artifacts.work, "session.json")
	if err := told.Write(session); err != nil {
		return err
	}
	err = r.play(ctx, session)
	r.endedEarly = watcher.endedEarly()
	return err
}

// build builds the implementation, before there is a cluster: what does not compile need not wait for one.
func (r *suiteRun) build(ctx context.Context, provider provider) (implementation.Artifact, error) {
	options := provider.building()
	options.Dir, options.Out = r.artifacts.work, r.out
	if source := r.implementation.Source(options); source != "" {
		r.say("building %s (go build %s)", r.implementation.Name, source)
	}
	return r.implementation.Build(ctx, options)
}

// failedBy says what an error is, and notes whose failure: nobody's if the user interrupted the run.
func (r *suiteRun) failedBy(err error) {
	if err == nil {
		return
	}
	r.say("%v", err)
	noted := &r.harnessFailure
	switch {
	case errors.As(err, new(interruption)):
		return
	case errors.As(err, new(implementation.Failure)):
		noted = &r.implementationFailure
	}
	if *noted != "" {
		*noted += "\n"
	}
	*noted += err.Error()
}

// takeDown ends the cluster, after saving what only its nodes know if anything went wrong.
func (r *suiteRun) takeDown(where *place, failure error) error {
	if failure != nil || r.harnessFailure != "" || r.failed() {
		if err := r.stop(where.ExportLogs); err != nil {
			r.say("not all logs could be saved: %v", err)
		}
	}
	return r.stop(where.Stop)
}

// failed reports whether any spec did.
func (r *suiteRun) failed() bool {
	ran, err := readSpecReports(r.artifacts.ginkgo)
	return err != nil || slices.ContainsFunc(ran, func(report specReport) bool { return report.State.Is(types.SpecStateFailureStates) })
}

// finish writes the report and returns the exit code that goes with it.
func (r *suiteRun) finish(ctx context.Context, specs []specReport) (int, error) {
	ran, err := readSpecReports(r.artifacts.ginkgo)
	var found reports.Run
	if err == nil {
		found = collect(ran, r.verdictWithoutRun(ctx))
	} else {
		// An interruption before the specs began leaves none, and one that meets Ginkgo while it writes its report leaves a part of one.
		if ctx.Err() == nil && r.stopped+r.harnessFailure+r.implementationFailure == "" {
			r.harnessFailure = err.Error()
			r.say("%v%s", err, r.specsLogTail())
		}
		found = r.foundInRecordings(ctx, specs)
	}
	if r.harnessFailure == "" {
		r.harnessFailure = notPutBack(ran)
	}
	found.Implementation, found.Provenance, found.Catalogue = r.describeImplementation(), r.provenance(ctx.Err() != nil), r.catalogue.All()
	report, err := reports.Assemble(found)
	if err != nil {
		return exitHarness, err
	}
	if err := formats.WriteFiles(r.artifacts.root, report); err != nil {
		return exitHarness, err
	}
	if err := os.Remove(filepath.Join(r.artifacts.root, runFile)); err != nil {
		return exitHarness, err
	}
	err = reports.Summary(r.out, report, reports.SummaryOptions{Color: r.out.terminal, Paths: []reports.Path{
		{Label: "report", Path: filepath.Join(r.artifacts.root, reports.YAMLFile)},
		{Label: "page", Path: filepath.Join(r.artifacts.root, reports.HTMLFile)},
		{Label: "recordings", Path: r.artifacts.recordings},
		{Label: "logs", Path: r.artifacts.logs},
	}})
	if errors.Is(err, syscall.EPIPE) {
		err = nil // who reads has left; the report is written
	}
	code := reports.ExitCode(report)
	if r.options.baseline != "" {
		code = compareWithBaseline(r.out, r.events, r.options.baseline, r.baseline, report)
	}
	fmt.Fprint(r.out, report.Statistics.Closing())
	r.events.tell(reports.ResultOf(report, filepath.Join(r.artifacts.root, reports.YAMLFile), code))
	return code, err
}

// foundInRecordings is what a run has found out whose specs left no report: what its recordings say.
func (r *suiteRun) foundInRecordings(ctx context.Context, specs []specReport) reports.Run {
	// Of a folder that was just made the pattern is good, and none is no error.
	paths, _ := filepath.Glob(filepath.Join(r.artifacts.recordings, "*.jsonl"))
	var all []judged
	for _, path := range paths {
		one, err := judgeRecording(path, r.artifacts.root, r.catalogue)
		if err != nil {
			r.say("%s is left out: %v", path, err)
			continue
		}
		all = append(all, one)
	}
	found, rest := recordedRun(all), collect(unrecorded(all, specs), r.verdictWithoutRun(ctx))
	found.Outcomes = append(found.Outcomes, rest.Outcomes...)
	return found
}

// brokenOff is why a spec decided nothing that was to run, where nobody has asked this command to end it.
const brokenOff = "its spec was not run to its end: the specs were interrupted by a signal that rollcall did not send"

// verdictWithoutRun says what becomes of what did not run. That a spec was to run and could not, because the implementation or the harness failed, leaves its
// requirements inconclusive, and so does a signal to the specs alone: a run in which nothing ran must not look as if everything was skipped on purpose.
func (r *suiteRun) verdictWithoutRun(ctx context.Context) verdictOf {
	interrupted := ctx.Err() != nil
	return func(report specReport, id requirements.ID) (reports.Verdict, string) {
		requirement, _ := r.catalogue.Get(id)
		switch {
		case !r.selection.selects(report):
			return reports.NotRun, r.selection.why(report)
		case !r.implementation.Claims(requirement.Feature):
			return reports.Unsupported, spec.NotClaimed(requirement.Feature)
		case interrupted:
			return reports.NotRun, "the run was interrupted"
		case r.stopped != "":
			return reports.NotRun, "the run was " + r.stopped
		case r.endedEarly != "":
			return reports.Inconclusive, spec.EndedEarly + r.endedEarly
		case r.implementationFailure != "":
			first, _, _ := strings.Cut(r.implementationFailure, "\n")
			return reports.Inconclusive, "not run, since the implementation failed before: " + first
		case r.harnessFailure != "":
			first, _, _ := strings.Cut(r.harnessFailure, "\n")
			return reports.Inconclusive, "not run, since the harness failed before: " + first
		}
		return reports.Inconclusive, brokenOff
	}
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
