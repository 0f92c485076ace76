package status_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

func TestStatusUnavailable(t *testing.T) {
	Breaks(t, status.StatusUnavailable(),
		counts("one too few", 3, 3, 3, 1, 1, 3),
		counts("one too many", 3, 3, 3, 3, 1, 3),
		counts("left out although not zero", 3, 3, 3, 2, 0, 3),
	)
	Keeps(t, status.StatusUnavailable(),
		counts("left out because zero", 3, 3, 3, 3, 0, 3),
		counts("nothing is available", 3, 2, 1, 0, 3, 0),
	)
	Ignores(t, status.StatusUnavailable(), counts("nothing is desired", 0, 0, 0, 0, 0, 0))
}
