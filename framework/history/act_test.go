package history_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestWhatAnActMayCause(t *testing.T) {
	for act, want := range map[history.Act]struct{ deletes, disturbs, creates bool }{
		history.DeletePod:       {deletes: true, disturbs: true},
		history.EvictPod:        {deletes: true, disturbs: true},
		history.BecomeUnready:   {disturbs: true},
		history.BecomeReady:     {},
		history.FailPod:         {disturbs: true},
		history.HoldTermination: {},
		history.SetReadySince:   {disturbs: true},
		history.RebootNode:      {deletes: true, disturbs: true},
		history.DeleteNode:      {deletes: true, disturbs: true},
		history.AddNode:         {creates: true},
		history.CordonNode:      {},
		history.UpdateDaemonSet: {disturbs: true},
		history.DeleteDaemonSet: {deletes: true, disturbs: true},
		history.DeleteRevision:  {deletes: true},
	} {
		if got := act.MayDelete(); got != want.deletes {
			t.Errorf("%s: may delete %t, want %t", act, got, want.deletes)
		}
		if got := act.Disturbs(); got != want.disturbs {
			t.Errorf("%s: disturbs %t, want %t", act, got, want.disturbs)
		}
		if got := act.Creates(); got != want.creates {
			t.Errorf("%s: creates %t, want %t", act, got, want.creates)
		}
	}
}

func TestAnActThatNobodyKnowsIsRefused(t *testing.T) {
	for _, act := range history.Acts() {
		if err := act.Valid(); err != nil {
			t.Error(err)
		}
	}
	if err := history.Act("pull the plug").Valid(); err == nil {
		t.Error("an act that is not in the table is valid")
	}
}
