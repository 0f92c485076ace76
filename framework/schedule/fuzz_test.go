package schedule_test

import (
	"reflect"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

// FuzzParse reads any text: what is a schedule is written as one that reads the same.
func FuzzParse(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(schedule.Draw(seed, schedule.Levers()).String())
	}
	f.Add("strategy maxSurge 10%, maxUnavailable 0\nminReadySeconds 3\nafter 1.5s: update (0, 0)\nfault at create pods 1: lose the answer\nlate 500ms: pods, nodes")
	f.Add("# a title\nnodes 50\nstrategy OnDelete\nafter 0s: update (99999999999999999999, 1)")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := schedule.Parse(text, schedule.Levers())
		if err != nil {
			return
		}
		again, err := schedule.Parse(read.String(), schedule.Levers())
		if err != nil || !reflect.DeepEqual(again, read) {
			t.Errorf("%v: %q is written as %q", err, text, read)
		}
	})
}
