package spec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/reports"
)

// UndecidedFolder is the folder, in that of the run's report, for recordings that a standstill kept from deciding anything.
const UndecidedFolder = "undecided"

// attempt is a scenario that was played and judged, and everything put back.
type attempt struct {
	c         *Case
	judgement Judgement
	// failure is the harness's own.
	failure error
}

// attempt plays the scenario and judges it. earlier is its recording before, nil for the first one.
func (s *Spec) attempt(ctx context.Context, p process, early *stop, earlier *history.Earlier) attempt {
	a := attempt{c: &Case{process: p, spec: s, earlier: earlier}}
	playing, done := early.until(ctx)
	limited, cancel := context.WithTimeout(playing, Timeout)
	ending := a.c.play(limited)
	cancel()
	if why := early.why(); why != "" && ending.Aborted != "" {
		ending.Aborted = EndedEarly + why
	}
	done()
	judging, cancel := context.WithTimeout(context.WithoutCancel(ctx), judgingTime)
	defer cancel()
	a.judgement, a.failure = a.c.finish(judging, ending)
	cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	if err := a.c.clean(cleaning); err != nil {
		ginkgo.AddReportEntry(UndoneEntry, err.Error(), ginkgo.ReportEntryVisibilityNever)
		a.failure = errors.Join(a.failure, err)
	}
	return a
}

// play runs the scenario and returns how it ended.
func (c *Case) play(ctx context.Context) (ending history.Ending) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case abortion:
			ending.Aborted = string(reason)
		case impossibility:
			ending.Impossible = string(reason)
		default:
			// What was recorded is still judged, and everything put back.
			ending.Aborted = fmt.Sprintf("harness: the spec panicked: %v\n%s", reason, debug.Stack())
		}
	}()
	environment, name := c.process.environment, name(ginkgo.CurrentSpecReport())
	if environment.Earlier = c.earlier; c.earlier != nil {
		name += "-again"
	}
	wants := c.spec.wants
	environment.NodeKind, environment.Records, environment.Kinds, environment.Bystanders = wants.nodes, wants.records, wants.kinds, wants.bystanders
	if c.spec.wants.alone {
		environment = c.takeControl(ctx, name, environment)
	}
	c.listen(ctx)
	c.Scenario = scenario.Start(ctx, aborter{}, environment, name, c.spec.Text)
	defer func() {
		if err := c.faults.end(); err != nil {
			ending.Aborted = "harness: " + err.Error()
		}
	}()
	c.spec.Play(ctx, c)
	c.settle(ctx)
	return history.Ending{}
}

// heldUp reports whether the scenario is worth playing again: something could not be decided, nothing failed, and the API server or the implementation's
// machine stood still meanwhile, or a node was lost, which is nobody's fault and may not happen again. What failed stays failed, and what else could not be
// decided stays so.
func (a attempt) heldUp() bool {
	undecided := false
	for _, outcome := range a.judgement.Outcomes {
		switch {
		case outcome.Verdict == reports.Fail || strings.HasPrefix(outcome.Reason, EndedEarly):
			return false
		case outcome.Verdict == reports.Inconclusive:
			undecided = true
		}
	}
	h := a.judgement.history
	return undecided && a.failure == nil && h != nil && endOf(h) == "" && (a.judgement.lost != "" || len(h.AllStandstills()) > 0)
}

// setAside moves the recording to where nobody takes it for the one that decides.
func (a attempt) setAside() (*history.Earlier, error) {
	path, artifacts := a.c.RecordingPath(), a.c.process.session.Artifacts
	earlier := &history.Earlier{Recording: filepath.Join(UndecidedFolder, filepath.Base(path)), Reason: strings.Join(a.judgement.doubts(), "; ")}
	err := os.MkdirAll(filepath.Join(artifacts, UndecidedFolder), 0o755)
	if err == nil {
		err = os.Rename(path, filepath.Join(artifacts, earlier.Recording))
	}
	if err != nil {
		return nil, fmt.Errorf("set the recording aside: %w", err)
	}
	return earlier, nil
}
