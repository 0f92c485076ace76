// Package spec turns a scenario into a Ginkgo spec that decides requirements: it starts the recording, runs the scenario, lets the judges and
// the spec's own checks judge the recording, and attaches each requirement's verdict to Ginkgo's report.
package spec

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
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
	// timeout bounds a spec, which plays its scenario no more than twice.
	timeout = 2 * (Timeout + judgingTime + cleaningTime)
)

// Decides lists the requirements that a spec decides.
func Decides(ids ...requirements.ID) []requirements.ID { return ids }

// It registers a spec. Its text is a promise in words; decides names the requirements whose verdicts it gives. play is the scenario: stimuli, and waiting
// for what they are to bring about. check asks the recording, through Checks.Decide; it is nil where the standing rules alone decide. Decorators are
// those of wants.go, and Ginkgo's.
func It(text string, decides []requirements.ID, play func(ctx context.Context, c *Case), check func(c *Checks), decorators ...any) {
	labels := make(ginkgo.Labels, len(decides))
	for i, id := range decides {
		labels[i] = string(id)
	}
	wants, others := wantsOf(decorators)
	s := &Spec{Text: text, Decides: decides, Play: play, Check: check, wants: wants}
	register(s)
	args := []any{labels, ginkgo.Offset(1), ginkgo.SpecTimeout(timeout), ginkgo.GracePeriod(judgingTime + cleaningTime + time.Minute)}
	if wants.alone && clusterIsShared() {
		args = append(args, ginkgo.Serial)
	}
	if wants.long {
		args = append(args, ginkgo.SpecPriority(1))
	}
	ginkgo.It(text, append(append(args, others...), func(ctx ginkgo.SpecContext) { s.run(ctx) })...)
}

func (s *Spec) run(ctx ginkgo.SpecContext) {
	p, err := thisProcess()
	if err != nil {
		ginkgo.Fail("harness: " + err.Error())
	}
	if err := p.catalogue.Unknown(s.Decides...); err != nil {
		ginkgo.Fail("harness: " + err.Error())
	}
	told := p.session.begin(s.Text)
	defer told.end()
	if outcomes := s.NotRun(p.session.header(), p.catalogue); outcomes != nil {
		told.outcomes(outcomes, p.catalogue)
		attach(Outcomes{Outcomes: outcomes})
		return
	}
	early := earlyEnd()
	if why := early.why(); why != "" {
		ginkgo.Skip(why)
	}
	decided := s.attempt(ctx, p, early, nil)
	if decided.heldUp() && early.why() == "" && ctx.Err() == nil {
		if earlier, err := decided.setAside(); err != nil {
			decided.failure = err
		} else {
			decided = s.attempt(ctx, p, early, earlier)
		}
	}
	judgement := decided.judgement
	stories := decided.c.report(&judgement)
	told.outcomes(judgement.Outcomes, p.catalogue)
	told.p.Recording, told.p.Stories, told.p.Circumstances = decided.c.recording(), stories, strings.Join(judgement.Told(), "\n\n")
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), judgingTime)
	defer cancel()
	failure := errors.Join(decided.failure, supervisor(p.session.Supervisor).ended(asking, endedOf(s.Text, judgement.Outcomes)))
	if failure != nil {
		told.p.Failure = failure.Error()
	}
	switch {
	case len(stories) > 0:
		ginkgo.Fail(judgement.Stories(p.catalogue, p.session.ArtifactsAsNamed))
	case failure != nil:
		ginkgo.Fail("harness: " + failure.Error())
	}
	if undecided := judgement.undecided(); undecided != "" {
		ginkgo.Fail(undecided)
	}
}

// takeControl gives the spec an implementation, and the cluster that it acts on, to itself.
func (c *Case) takeControl(ctx context.Context, name string, shared scenario.Environment) scenario.Environment {
	var environment scenario.Environment
	var err error
	if c.own, err = c.process.session.takeControl(ctx, name, c.spec.wants.relay, c.process.catalogue); err == nil {
		environment, err = c.own.environment(ctx, shared)
	}
	switch {
	case errors.As(err, new(implementation.Failure)):
		aborter{}.Fatalf("the implementation failed: %v", err)
	case err != nil:
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
