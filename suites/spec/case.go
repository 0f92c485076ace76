package spec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Case is one spec under way: its scenario, and what it may do to the implementation.
type Case struct {
	*scenario.Scenario

	process process
	spec    *Spec
	own     *own
	// earlier is the scenario's recording before this one, nil if this is the first.
	earlier *history.Earlier
	// logFrom is how much the implementation had printed when the scenario began.
	logFrom LogEnd
	// faults are those that requests of the implementation met.
	faults faults
}

// finish closes the recording and judges it. Without a recording nothing is decided. The failure is the harness's own.
func (c *Case) finish(ctx context.Context, ending history.Ending) (j Judgement, failure error) {
	ending.Aborted = c.process.session.folders().Text(ending.Aborted)
	if c.Scenario == nil {
		return c.spec.undecided(c.process.session.header(), ending), nil
	}
	h, err := c.Finish(ctx, ending)
	if h == nil {
		return c.spec.undecided(c.process.session.header(), history.Ending{Aborted: "harness: there is no recording"}), err
	}
	if j = c.spec.Judge(h, c.process.catalogue); j.troubled() {
		health, unknown := c.health(ctx, h, j.Violations)
		if unknown == nil {
			unknown = h.AppendHealth(c.RecordingPath(), health)
		}
		err = errors.Join(err, unknown)
		j = c.spec.Judge(h, c.process.catalogue)
	}
	return j, errors.Join(err, h.Seal(c.RecordingPath()))
}

// listen notes how much the implementation has printed.
func (c *Case) listen(ctx context.Context) {
	var err error
	if c.own != nil {
		c.logFrom = LogEnd{Position: c.own.running.LogEnd(), Time: time.Now()}
	} else if c.logFrom, err = supervisor(c.process.session.Supervisor).logEnd(ctx); err != nil {
		aborter{}.Fatalf("harness: %v", err)
	}
}

// health is how the implementation is now, when it waited for a processor since listen, and what it printed since then, above all around the violations: what names the scenario's namespace, if
// anything does.
func (c *Case) health(ctx context.Context, h *history.History, violations []judge.Violation) (history.Health, error) {
	folders := c.process.session.folders()
	if c.own != nil {
		lines := c.own.running.LogSince(c.logFrom.Position, LogAsked, c.Namespace())
		health := healthOf(folders, c.own.running.ExitStatus(), lines, violations, h.Start)
		health.Waits = Waits(c.own.running.WaitsSince(h.Start), h.Start)
		return health, nil
	}
	found, err := supervisor(c.process.session.Supervisor).health(ctx, c.logFrom, c.Namespace())
	health := healthOf(folders, found.Ended, withoutOthers(found.Log, c.Namespace()), violations, h.Start)
	health.Waits = later(found.Waits, c.logFrom.Time.Sub(h.Start))
	return health, err
}

func (c *Case) clean(ctx context.Context) error {
	var unclean error
	if c.Scenario != nil {
		// What follows has time left, too, where the API server does not answer.
		cleaning, cancel := context.WithTimeout(ctx, cleaningTime/2)
		defer cancel()
		unclean = c.Clean(cleaning)
	}
	if c.own != nil && c.own.lent != nil && (unclean != nil || c.spec.wants.storage) {
		// Whatever is left there goes with it.
		c.own.spoiled, unclean = true, nil
	}
	return errors.Join(unclean, c.own.release(ctx))
}

// Claims reports whether the implementation claims the feature.
func (c *Case) Claims(feature requirements.Feature) bool {
	return slices.Contains(c.process.session.Features, feature)
}

// Shares reports whether others use the implementation, too, beside the spec or after it.
func (c *Case) Shares() bool { return c.own == nil || c.own.shared }

// CannotDecide ends the scenario: what it is about turned out not to be decidable here, for the reason given.
func (c *Case) CannotDecide(reason string) { aborter{}.Fatalf("%s", reason) }

// NotPossible ends the scenario: it cannot be played with this implementation, for the reason given, so its requirements are not-run.
func (c *Case) NotPossible(reason string) { aborter{}.Skipf("%s", reason) }

// RequireNotYetAvailable ends the scenario if the pod, Ready as it was then, is available by now or will have been before an implementation can be held to
// know that it is not Ready any more.
func (c *Case) RequireNotYetAvailable(pod *corev1.Pod, minReadySeconds int32) {
	now := time.Now()
	if from, ready := history.AvailableFrom(pod, minReadySeconds); !ready || !now.Add(judge.Lag).Before(from) {
		c.CannotDecide(fmt.Sprintf("pod %s was made unready, which was known at %s; it takes %s before %s, from when it would have been available",
			pod.Name, now.UTC().Format(time.TimeOnly), judge.Lag, from.UTC().Format(time.TimeOnly)))
	}
}

// Prompt is the longest reaction that counts as prompt: see judge.Prompt.
const Prompt = judge.Prompt

// AtOnce is the longest time that a prompt reaction takes from the recorded event: Prompt, after the judge.Lag by which the implementation must know of it.
const AtOnce = judge.Lag + Prompt
