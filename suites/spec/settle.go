package spec

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// mostExtensions is how often a recording is made longer: whoever never comes to rest does not keep a spec from ending.
const mostExtensions = 3

// settle makes the recording as long as the spec's checks need it. A check that the end of the recording alone keeps from being decided could not fail: what it
// asks for is not yet overdue.
func (c *Case) settle(ctx context.Context) {
	if c.spec.Check == nil {
		return
	}
	var last time.Time
	for range mostExtensions {
		due := c.spec.due(c.Recorded())
		// A scenario whose time is up is judged by what there is.
		if deadline, bounded := ctx.Deadline(); !due.After(last) || bounded && due.After(deadline) {
			return
		}
		c.Await(ctx, scenario.Past(due))
		last = due
	}
}

// due is when a recording would decide what the spec's checks ask, if nothing changed until then; zero if it does not have to be longer.
func (s *Spec) due(h *history.History) (due time.Time) {
	checks, failure := s.ask(h)
	if failure != "" {
		return time.Time{}
	}
	asked := checks.matchers()
	survey := matchers.NewSurvey(h, asked...)
	standing := judge.Run(h, nil, survey.Observe)
	for _, matcher := range asked {
		if answer := survey.Ask(matcher, standing); len(answer.Violations) == 0 && answer.Due.After(due) {
			due = answer.Due
		}
	}
	return due
}
