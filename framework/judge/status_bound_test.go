package judge_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestStatusBound(t *testing.T) {
	breaks(t, judge.StatusBound(), counts("a surged node counts twice", 3, 3, 3, 4, 0, 3))
	keeps(t, judge.StatusBound(), counts("every node is available", 3, 3, 3, 3, 0, 3))
	ignores(t, judge.StatusBound(), counts("nothing is desired", 0, 0, 0, 0, 0, 0))
}
