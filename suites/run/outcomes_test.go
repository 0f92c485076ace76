package run

import (
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/suites/spec"
)

func TestWhatASpecCouldNotPutBackIsAHarnessFailure(t *testing.T) {
	left := types.ReportEntry{Name: spec.UndoneEntry, Value: types.WrapEntryValue("nobody is at work")}
	specs := []types.SpecReport{
		asWritten(t, types.SpecReport{LeafNodeText: "tidy", State: types.SpecStatePassed}),
		asWritten(t, types.SpecReport{LeafNodeText: "untidy", State: types.SpecStateFailed, ReportEntries: types.ReportEntries{left}}),
	}
	if got := notPutBack(specs); got != "untidy: could not put back: nobody is at work" {
		t.Errorf("got %q", got)
	}
	if got := notPutBack(specs[:1]); got != "" {
		t.Errorf("got %q", got)
	}
}
