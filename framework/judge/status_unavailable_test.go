package judge_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestStatusUnavailable(t *testing.T) {
	breaks(t, judge.StatusUnavailable(),
		counts("one too few", 3, 3, 3, 1, 1, 3),
		counts("one too many", 3, 3, 3, 3, 1, 3),
		counts("left out although not zero", 3, 3, 3, 2, 0, 3),
	)
	keeps(t, judge.StatusUnavailable(),
		counts("left out because zero", 3, 3, 3, 3, 0, 3),
		counts("nothing is available", 3, 2, 1, 0, 3, 0),
	)
	ignores(t, judge.StatusUnavailable(), counts("nothing is desired", 0, 0, 0, 0, 0, 0))
}
