package history_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestWhatAnActMayDo(t *testing.T) {
	for _, test := range []struct {
		lever             string
		kind              history.Kind
		deletes, disturbs bool
	}{
		{"delete pod", history.KindPod, true, true},
		{"evict pod", history.KindPod, true, true},
		{"an act nobody heard of", history.KindPod, true, true},
		{"become unready", history.KindPod, false, true},
		{"become ready", history.KindPod, false, false},
		{"fail", history.KindPod, false, true},
		{"hold termination", history.KindPod, false, false},
		{"set Ready transition time", history.KindPod, false, true},
		{"drain node", history.KindNode, true, true},
		{"delete node", history.KindNode, true, true},
		{"cordon", history.KindNode, false, false},
		{"remove taint", history.KindNode, false, true},
		{"update DaemonSet", history.KindDaemonSet, false, true},
		{"delete DaemonSet", history.KindDaemonSet, true, true},
		{"delete ControllerRevision", history.KindControllerRevision, true, true},
	} {
		t.Run(test.lever, func(t *testing.T) {
			stimulus := &history.Stimulus{Lever: test.lever, Kind: test.kind}
			if got := stimulus.MayDelete(); got != test.deletes {
				t.Errorf("may delete %t, want %t", got, test.deletes)
			}
			if got := stimulus.Disturbs(); got != test.disturbs {
				t.Errorf("disturbs %t, want %t", got, test.disturbs)
			}
		})
	}
}
