package status_test

import (
	"testing"

	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

func TestStatusBound(t *testing.T) {
	Breaks(t, status.StatusBound(), counts("a surged node counts twice", 3, 3, 3, 4, 0, 3))
	Keeps(t, status.StatusBound(), counts("every node is available", 3, 3, 3, 3, 0, 3))
	Ignores(t, status.StatusBound(), counts("nothing is desired", 0, 0, 0, 0, 0, 0))
}
