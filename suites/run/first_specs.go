package run

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// alikeAtFirst is how many specs must have ended undecided for one cause, and none otherwise, for the run to end.
const alikeAtFirst = 5

// first are the specs that ended first.
type first struct {
	// off: nothing can be concluded any more, since a spec ended otherwise, or nothing is to be.
	off   bool
	cause string
	count int
}

// ended takes in that a spec ended, and says why the run is to end; nothing while it is not. Specs that decide nothing by design do not count.
func (f *first) ended(ended spec.Ended) string {
	switch {
	case f.off:
		return ""
	case !ended.Decided && !ended.Undecided:
		return ""
	case ended.Decided, ended.Cause == "", f.count > 0 && ended.Cause != f.cause:
		f.off = true
		return ""
	}
	f.cause = ended.Cause
	f.count++
	if f.count < alikeAtFirst {
		return ""
	}
	f.off = true
	return fmt.Sprintf("the first %d specs could not be decided for the same reason: %s", f.count, f.cause)
}
