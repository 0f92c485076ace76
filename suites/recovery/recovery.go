// Package recovery has the specs of controllers that crash in the middle of a rollout and come back, or that are kept from their work otherwise.
package recovery

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	resumes()
	returns()
	hangs()
	clock()
	skew()
	refused()
	oneByOne()
	someRefused()
	undeletable()
	failover()
	watches()
	lateWatches()
	lostAnswers()
	staleLists()
	staleHistories()
	unobserved()
	statusWrites()
}

// back is when the implementation is ready again.
const back history.Mark = "controller is back"

// crash kills the implementation as soon as the condition holds, and starts it again.
func crash(ctx context.Context, c *spec.Case, when string, condition Condition) {
	crashFor(ctx, c, 0, when, condition)
}

// crashFor is crash with nobody at work for that long.
func crashFor(ctx context.Context, c *spec.Case, away time.Duration, when string, condition Condition) {
	c.Require(ctx, when, condition)
	c.Kill(ctx)
	c.Await(ctx, Past(time.Now().Add(away)))
	c.Restart(ctx)
	c.Mark(back)
}
