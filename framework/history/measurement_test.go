package history_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

func measurement() history.Measurement {
	return history.Measurement{
		Node: "node-1", Target: "tcp:127.0.0.1:20001", During: "surge", Lasted: 10 * time.Second, Sent: 2000, Failed: 1,
		LongestSilence: 240 * time.Millisecond, SilenceAt: 4 * time.Second,
		Answers:       []history.Answers{{Pod: "old", Version: "v1", Count: 1999, First: time.Millisecond, Last: 9 * time.Second}},
		FirstFailures: []history.FailedRequest{{At: 4100 * time.Millisecond, Error: "connection refused"}},
	}
}

func TestAMeasurementIsReadAsItWasWritten(t *testing.T) {
	b := written(t).After(20 * time.Second).Measured(measurement())
	h := read(t, recorded(t, b.History()))
	measured := h.Measurements()
	if len(measured) != 1 || !reflect.DeepEqual(*measured[0].Measurement, measurement()) {
		t.Fatalf("read %+v", measured)
	}
	if last := h.Entries[len(h.Entries)-1]; last.Measurement == nil || last.ResourceVersion != b.Version() || last.Object != nil || last.Stimulus != nil {
		t.Errorf("the last entry is %+v", last)
	}
	if at, want := measured[0].Instant(measurement().SilenceAt), measured[0].Time.Add(-6*time.Second); !at.Equal(want) {
		t.Errorf("the silence began at %v, want %v", at, want)
	}
}

func TestAMeasurementChangesNothingOfTheState(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	b.DaemonSet("agent").Pod("a", "node-1").Ready()
	before := end(b)
	b.Measured(measurement())
	after := end(b)
	if after.Changes != before.Changes || len(after.Pods) != 1 || len(after.Stimuli) != 0 {
		t.Errorf("%d changes, pods %v, stimuli %v; %d changes before", after.Changes, after.Pods, after.Stimuli, before.Changes)
	}
}
