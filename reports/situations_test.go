package reports_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

func TestSituationsOfAllSpecsAreMerged(t *testing.T) {
	t.Parallel()
	run := exampleRun()
	report := assemble(t, run)
	want := &reports.Situations{Seen: 2, Named: 3, Unseen: []string{"after a roll-back"}}
	if got := resultFor(t, report, "SURGE-002").Situations; !reflect.DeepEqual(got, want) {
		t.Errorf("SURGE-002: %+v, want %+v", got, want)
	}
	for _, id := range []reports.ID{"PDB-003", "SURGE-009"} {
		if got := resultFor(t, report, id).Situations; got != nil {
			t.Errorf("%s, which was not run or has no rule: %+v, want none", id, got)
		}
	}
	slices.Reverse(run.Sightings)
	if got := resultFor(t, assemble(t, run), "SURGE-002").Situations; !reflect.DeepEqual(got, want) {
		t.Errorf("in another order: %+v, want %+v", got, want)
	}
}
