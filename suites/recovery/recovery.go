// Package recovery has the specs of controllers that crash in the middle of a rollout and come back.
package recovery

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	resumes()
	clock()
}

// back is noted when the implementation is ready again.
const back = "controller is back"

// crash kills the implementation as soon as the condition holds, and starts it again.
func crash(ctx context.Context, c *spec.Case, when string, condition Condition) {
	c.Require(ctx, when, condition)
	c.Kill(ctx)
	c.Restart(ctx)
	c.Note(history.Stimulus{Lever: back, Detail: "after a crash when " + when})
}
