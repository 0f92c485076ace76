// Package spec turns a scenario into a Ginkgo spec that decides requirements: it starts the recording, runs the scenario, lets the judges and
// the spec's own checks judge the recording, and attaches each requirement's verdict to Ginkgo's report.
package spec

import (
	"context"
	"fmt"
	"hash/fnv"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/reports"
)

// OutcomeEntry names the entry in Ginkgo's report that holds a spec's outcomes: a JSON list of reports.Outcome.
const OutcomeEntry = "rollcall outcomes"

// UndoneEntry names the entry that says what a spec could not put back: what others decide after it is in doubt.
const UndoneEntry = "rollcall could not put back"

// Timeout bounds one scenario.
const Timeout = 5 * time.Minute

// What follows a scenario must happen even when its time is up, and before the next one on the same cluster begins.
const (
	judgingTime  = time.Minute
	cleaningTime = 3 * time.Minute
)

// Decides lists the requirements that a spec decides.
func Decides(ids ...requirements.ID) []requirements.ID { return ids }

// It registers a spec. Its text is a promise in words; decides names the requirements whose verdicts it gives, each through Case.Decide or, if
// it is a standing invariant, through its judge. Decorators are Alone, RealNodes, SimulatedNodes and Ginkgo's.
func It(text string, decides []requirements.ID, body func(ctx context.Context, c *Case), decorators ...any) {
	labels := make(ginkgo.Labels, len(decides))
	for i, id := range decides {
		labels[i] = string(id)
	}
	wants, others := wantsOf(decorators)
	args := append([]any{labels, ginkgo.Offset(1), ginkgo.SpecTimeout(Timeout), ginkgo.GracePeriod(judgingTime + cleaningTime + time.Minute)}, others...)
	if wants.alone && clusterIsShared() {
		args = append(args, ginkgo.Serial)
	}
	ginkgo.It(text, append(args, func(ctx ginkgo.SpecContext) {
		run(ctx, decides, body, wants)
	})...)
}

func run(ctx ginkgo.SpecContext, decides []requirements.ID, body func(context.Context, *Case), wants wants) {
	p, err := thisProcess()
	if err != nil {
		ginkgo.Fail("harness: " + err.Error())
	}
	if err := p.catalogue.Unknown(decides...); err != nil {
		ginkgo.Fail("harness: " + err.Error())
	}
	report := ginkgo.CurrentSpecReport()
	began := time.Now()
	c := &Case{process: p, text: report.FullText(), decides: decides, wants: wants}
	if !slices.ContainsFunc(decides, func(id requirements.ID) bool { _, claimed := c.claims(id); return claimed }) {
		c.report(began, &findings{}, "", "")
		return
	}
	if missing := wants.missingOn(p.session); missing != "" {
		c.report(began, &findings{}, missing, reports.NotRun)
		return
	}

	aborted, impossible := c.play(ctx, name(report), body)
	judging, cancel := context.WithTimeout(context.WithoutCancel(ctx), judgingTime)
	defer cancel()
	findings := c.judge(judging, aborted)
	if impossible != "" {
		c.report(began, &findings, impossible, reports.NotRun)
	} else {
		c.report(began, &findings, "", "")
	}
	cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	if err := c.clean(cleaning); err != nil {
		ginkgo.AddReportEntry(UndoneEntry, err.Error(), ginkgo.ReportEntryVisibilityNever)
		aborted = strings.TrimPrefix(aborted+"\nharness: "+err.Error(), "\n")
	}
	if failure := findings.failure(); failure != "" {
		ginkgo.Fail(failure)
	}
	if aborted != "" {
		ginkgo.Fail(aborted)
	}
	if undecided := findings.undecided(); undecided != "" {
		ginkgo.Fail(undecided)
	}
}

// play runs the scenario and returns why it was aborted, and why it is not possible on this cluster, or nothing.
func (c *Case) play(ctx context.Context, name string, body func(context.Context, *Case)) (aborted, impossible string) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case abortion:
			aborted = string(reason)
		case impossibility:
			impossible = string(reason)
		default:
			// What was recorded is still judged, and everything put back.
			aborted = fmt.Sprintf("harness: the spec panicked: %v\n%s", reason, debug.Stack())
		}
	}()
	environment := c.process.environment
	environment.NodeKind, environment.Records = c.wants.nodes, c.wants.records
	if c.wants.alone {
		environment = c.takeControl(ctx, name, environment)
	}
	c.Scenario = scenario.Start(ctx, aborter{}, environment, name, c.text)
	body(ctx, c)
	return "", ""
}

// takeControl gives the spec an implementation, and the cluster that it acts on, to itself.
func (c *Case) takeControl(ctx context.Context, name string, shared scenario.Environment) scenario.Environment {
	var environment scenario.Environment
	var err error
	if c.own, err = c.process.session.takeControl(ctx, name, c.process.catalogue); err == nil {
		environment, err = c.own.environment(ctx, shared)
	}
	if err != nil {
		aborter{}.Fatalf("harness: %v", err)
	}
	return environment
}

// abortion is what a scenario panics with when it cannot go on, impossibility when it turns out not to be possible on the cluster.
type (
	abortion      string
	impossibility string
)

// aborter is the scenario.TB of specs. It ends the scenario, not yet the spec: what was recorded so far is still judged.
type aborter struct{}

func (aborter) Helper() {}

func (aborter) Fatalf(format string, args ...any) { panic(abortion(fmt.Sprintf(format, args...))) }

func (aborter) Skipf(format string, args ...any) { panic(impossibility(fmt.Sprintf(format, args...))) }

// name makes a short name that is the same in every run and unique among specs: it names the namespace and the recording.
func name(report types.SpecReport) string {
	family := "spec"
	if len(report.ContainerHierarchyTexts) > 0 {
		family = strings.ToLower(strings.Fields(report.ContainerHierarchyTexts[0])[0])
	}
	sum := fnv.New32a()
	sum.Write([]byte(report.FullText()))
	ids := slices.Clone(report.LeafNodeLabels)
	if len(ids) > 0 {
		family = strings.ToLower(ids[0])
	}
	return fmt.Sprintf("%s-%08x", family, sum.Sum32())
}
