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

// crash kills the implementation as soon as each of the conditions holds, one after the other, and starts it again. It reports whether all came about: one that
// does not may be what a crash before has left undone.
func crash(ctx context.Context, c *spec.Case, conditions ...Condition) bool {
	for _, condition := range conditions {
		if !crashFor(ctx, c, 0, condition) {
			return false
		}
	}
	return true
}

// crashFor is crash with nobody at work for that long.
func crashFor(ctx context.Context, c *spec.Case, away time.Duration, condition Condition) bool {
	if !c.Await(ctx, condition) {
		return false
	}
	c.Kill(ctx)
	c.Await(ctx, Past(time.Now().Add(away)))
	c.Restart(ctx)
	c.Mark(back)
	return true
}
