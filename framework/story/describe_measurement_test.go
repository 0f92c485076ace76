package story_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports"
)

func lostRequests() history.Measurement {
	return history.Measurement{
		Node: "node-1", Target: "unix:/run/daemon.sock", During: "surge", Lasted: 10 * time.Second, Sent: 2000, Failed: 3,
		LongestSilence: 240 * time.Millisecond, SilenceAt: 4 * time.Second,
		FirstFailures: []history.FailedRequest{{At: 4100 * time.Millisecond, Error: "connection refused"}},
	}
}

func TestAMeasurementHasItsWords(t *testing.T) {
	b := historytest.New(t).Measured(lostRequests())
	want := "rollcall: measured unix:/run/daemon.sock on node-1 for 10.0 s (surge): sent 2000, failed 3, longest silence 240 ms; " +
		"first failure after 4.100 s: connection refused"
	if got := described(b); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	m := lostRequests()
	m.During, m.Failed, m.FirstFailures = "", 0, nil
	if got, want := described(b.Measured(m)), "rollcall: measured unix:/run/daemon.sock on node-1 for 10.0 s: sent 2000, failed 0, longest silence 240 ms"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAStoryShowsTheMeasurementOfItsNodeAndNoOther(t *testing.T) {
	b := historytest.New(t).Nodes(2)
	old := b.DaemonSet("agent").Pod("old", "node-1").Ready()
	b.After(10 * time.Second)
	old.Terminating()
	broke := newest(b)
	elsewhere := lostRequests()
	elsewhere.Node = "node-2"
	b.Measured(lostRequests())
	measured := newest(b)
	h := b.Measured(elsewhere).History()
	v := judge.Violation{
		Requirement: "KUBELET-008", Promise: "no request fails", Node: "node-1", Got: "3 failed",
		ResourceVersion: broke.ResourceVersion, Time: broke.Time, Window: []history.Entry{broke, measured},
	}
	given := story.Report(h, v, story.Options{})
	rows := given.Window
	if len(rows) != 2 || rows[1].Node != "node-1" || !strings.Contains(rows[1].Event, "measured unix:/run/daemon.sock on node-1") {
		t.Errorf("the window is %+v", rows)
	}
	text := reports.Story(reports.Requirement{ID: v.Requirement}, given, reports.StoryOptions{})
	if !strings.Contains(text, "measured unix:/run/daemon.sock on node-1") || strings.Contains(text, "on node-2") {
		t.Errorf("the story is\n%s", text)
	}
}
