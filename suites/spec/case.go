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
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Case is one spec under way: its scenario, and the requirements that it decides.
type Case struct {
	*scenario.Scenario

	process process
	wants   wants
	own     *own
	text    string
	decides []requirements.ID
	checks  []check
	answers []answer
	notes   []func(*history.History) string
}

// check is a spec's own question to the recording.
type check struct {
	id      requirements.ID
	matcher matchers.Matcher
}

// answer is a promise that the API server's reply decided at once.
type answer struct {
	id      requirements.ID
	promise string
	got     string
	kept    bool
}

// Decide asks the recording, once the scenario is over, for what the requirement promises in it. All matchers must hold.
func (c *Case) Decide(id requirements.ID, all ...matchers.Matcher) {
	c.mustDecide(id)
	for _, matcher := range all {
		c.checks = append(c.checks, check{id: id, matcher: matcher})
	}
}

// Answer decides a requirement by a reply of the API server: promise says what it should have been, got what it was.
func (c *Case) Answer(id requirements.ID, kept bool, promise, got string) {
	c.mustDecide(id)
	c.answers = append(c.answers, answer{id: id, promise: promise, got: got, kept: kept})
}

// Observe notes for the report what decides nothing but is worth knowing; it is read off the recording.
func (c *Case) Observe(read func(*history.History) string) { c.notes = append(c.notes, read) }

// Features that the implementation claims.
func (c *Case) Features() []requirements.Feature { return c.process.session.Features }

func (c *Case) mustDecide(id requirements.ID) {
	if !slices.Contains(c.decides, id) {
		aborter{}.Fatalf("harness: the spec decides %s without declaring it", id)
	}
}

// claims returns the requirement's feature, and whether the implementation claims it.
func (c *Case) claims(id requirements.ID) (requirements.Feature, bool) {
	requirement, _ := c.process.catalogue.Get(id)
	return requirement.Feature, slices.Contains(c.Features(), requirement.Feature)
}

// judge closes the recording and finds out what it says about each requirement.
func (c *Case) judge(ctx context.Context, aborted string) findings {
	f := findings{aborted: aborted, catalogue: c.process.catalogue}
	if c.Scenario == nil {
		f.incomplete = aborted
		return f
	}
	f.recording = c.RecordingPath()
	h, err := c.Finish(ctx)
	if err != nil {
		f.incomplete = err.Error()
	}
	if h == nil {
		return f
	}
	f.history = h
	if f.incomplete == "" {
		// Matchers may look at any kind but Events, which are evidence and not in the order.
		f.incomplete = judge.Incomplete(h, slices.DeleteFunc(slices.Clone(h.Kinds), func(kind history.Kind) bool { return kind == history.KindEvent })...)
	}
	f.standing = judge.Run(h, rules.All())
	f.violations = f.standing.Violations()
	f.decided = map[requirements.ID]bool{}
	// An event that is missing from an incomplete recording may still have happened.
	if aborted == "" && f.incomplete == "" {
		for _, note := range c.notes {
			f.observations = append(f.observations, note(h))
		}
		for _, check := range c.checks {
			f.decided[check.id] = true
			f.violations = append(f.violations, matchers.Violations(check.id, h, check.matcher)...)
		}
	}
	for _, answer := range c.answers {
		f.decided[answer.id] = true
		if !answer.kept {
			f.violations = append(f.violations, judge.Violation{Requirement: answer.id, Promise: answer.promise, Got: answer.got})
		}
	}
	// Nobody is held to what they do not claim.
	f.violations = slices.DeleteFunc(f.violations, func(v judge.Violation) bool {
		_, claimed := c.claims(v.Requirement)
		return !claimed
	})
	return f
}

func (c *Case) clean(ctx context.Context) error {
	var failures []error
	// A control plane of its own takes everything with it.
	if c.Scenario != nil && (c.own == nil || c.own.shared) {
		failures = append(failures, c.Clean(ctx))
	}
	return errors.Join(append(failures, c.own.release(ctx))...)
}

// RevisionLabel is the label by which the implementation tells revisions apart.
func (c *Case) RevisionLabel() string { return c.process.session.RevisionLabel }

// CannotDecide ends the scenario: what it is about turned out not to be decidable here, for the reason given.
func (c *Case) CannotDecide(reason string) { aborter{}.Fatalf("%s", reason) }

// MustHaveBeenYoung ends the scenario if the pod, Ready as it was then, is available by now or will have been before an implementation can be held to
// know that it is not Ready any more.
func (c *Case) MustHaveBeenYoung(pod *corev1.Pod, minReadySeconds int32) {
	now := time.Now()
	if from, ready := history.AvailableFrom(pod, minReadySeconds); !ready || !now.Add(judge.Lag).Before(from) {
		c.CannotDecide(fmt.Sprintf("pod %s was made unready, which was known at %s; it takes %s before %s, from when it would have been available",
			pod.Name, now.UTC().Format(time.TimeOnly), judge.Lag, from.UTC().Format(time.TimeOnly)))
	}
}
