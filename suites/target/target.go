// Package target has the specs of which nodes get a daemon pod, and of what becomes of pods that fail or do not fit.
package target

import (
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Specs registers the family.
func Specs() {
	selection()
	terms()
	joining()
	refills()
	returning()
	returningInRollout()
	leaving()
	leavingRefused()
	resting()
	tolerations()
	limited()
	room()
	failing()
	failingBeside()
	failingMeanwhile()
	pressure()
	owners()
}

// late is longer than a controller may be late.
const late = 3 * time.Second

// strategy is a kind of rolling update. What both kinds promise is asked of both.
type strategy struct {
	with string
	edit Edit
}

func strategies() []strategy {
	return []strategy{{"maxSurge", MaxSurge("1")}, {"maxUnavailable", MaxUnavailable("25%")}}
}
