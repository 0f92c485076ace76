package matchers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

func measured(node string, sent, failed int) history.Measurement {
	m := history.Measurement{
		Node: node, Target: "tcp:127.0.0.1:20001", During: "surge", Lasted: 20 * time.Second, Sent: sent, Failed: failed,
		LongestSilence: 12 * time.Millisecond, SilenceAt: 3 * time.Second,
	}
	if failed > 0 {
		m.LongestSilence = 240 * time.Millisecond
		m.FirstFailures = []history.FailedRequest{{At: 3100 * time.Millisecond, Error: "connection refused"}}
	}
	return m
}

// served is a rollout on two nodes that clients call meanwhile.
func served(t *testing.T) *historytest.Builder {
	b, _, second := rollout(t)
	second.Terminating().Gone()
	return b
}

func TestNoRequestFailed(t *testing.T) {
	m := NoRequestFailed("surge")
	type all = []history.Measurement
	for name, test := range map[string]struct {
		measurements all
		answers      func(*testing.T, *history.History, Matcher)
	}{
		"some were sent on every node and none failed": {
			all{measured("node-1", 1000, 0), measured("node-2", 4000, 0)}, keeps,
		},
		"one failed": {
			all{measured("node-1", 4000, 0), measured("node-2", 4000, 1)},
			saying(breaksSaying, "node-2", "sent 4000, failed 1, longest silence 240 ms", "tcp:127.0.0.1:20001", "connection refused"),
		},
		"nothing was measured on a node": {
			all{measured("node-1", 4000, 0)}, saying(isUntested, "no requests measured during surge", "node-2"),
		},
		"none was sent": {
			all{measured("node-1", 0, 0), measured("node-2", 4000, 0)}, saying(isUntested, "node node-1 sent no request"),
		},
		"one failed on a node, and nothing was measured on another": {
			all{measured("node-1", 4000, 1)}, saying(breaksSaying, "node-1", "not put to the test on node-2"),
		},
		"a node has two measurements, one of them bad": {
			all{measured("node-1", 4000, 0), measured("node-2", 4000, 0), measured("node-2", 4000, 2)}, saying(breaksSaying, "node-2", "failed 2"),
		},
		"one failed on a node that no DaemonSet wants": {
			all{measured("node-1", 4000, 0), measured("node-2", 4000, 0), measured("node-3", 4000, 2)}, saying(breaksSaying, "node-3"),
		},
		"nothing was measured": {nil, saying(isUntested, "node-1", "node-2")},
	} {
		t.Run(name, func(t *testing.T) { test.answers(t, withMeasurements(t, test.measurements...), m) })
	}
}

func TestRequestsSentAndLostAreAskedOfEachNode(t *testing.T) {
	enough := withMeasurements(t, measured("node-1", 1000, 0), measured("node-2", 4000, 3))
	keeps(t, enough, RequestsSent("surge", 1000))
	isUntested(t, enough, RequestsSent("surge", 1001), "sent 1000, failed 0", "node-1")
	isUntested(t, enough, RequestsSent("maxUnavailable", 1), "no requests measured during maxUnavailable")
	isUntested(t, enough, RequestsLost("surge"), "node-1")
	again := withMeasurements(t, measured("node-1", 10, 0), measured("node-1", 1000, 0), measured("node-2", 1000, 0))
	keeps(t, again, RequestsSent("surge", 1000))
	keeps(t, withMeasurements(t, measured("node-1", 1000, 1), measured("node-2", 4000, 3)), RequestsLost("surge"))
	isUntested(t, withMeasurements(t, measured("node-1", 1000, 1)), RequestsLost("surge"), "node-2")
}

// withMeasurements is a whole rollout that clients measured.
func withMeasurements(t *testing.T, measurements ...history.Measurement) *history.History {
	b := served(t)
	for _, measurement := range measurements {
		b.Measured(measurement)
	}
	return b.History()
}

// saying is an assertion with the words that the answer has to say.
func saying(assert func(*testing.T, *history.History, Matcher, ...string), words ...string) func(*testing.T, *history.History, Matcher) {
	return func(t *testing.T, h *history.History, m Matcher) {
		t.Helper()
		assert(t, h, m, words...)
	}
}

func breaksSaying(t *testing.T, h *history.History, m Matcher, words ...string) {
	t.Helper()
	breaks(t, h, m, words...)
}

func TestWhatWasMeasuredAtAnotherTimeDoesNotCount(t *testing.T) {
	b := served(t)
	for _, node := range []string{"node-1", "node-2"} {
		other := measured(node, 4000, 7)
		other.During = "maxUnavailable"
		b.Measured(measured(node, 4000, 0)).Measured(other)
	}
	keeps(t, b.History(), NoRequestFailed("surge"))
	breaks(t, b.History(), NoRequestFailed("maxUnavailable"), "failed 7")
	isUntested(t, b.History(), NoRequestFailed("never"), "no requests measured during never")
}

func TestALostRequestIsShownWithWhatHappenedToTheNodesPodsMeanwhile(t *testing.T) {
	b := historytest.New(t).Nodes(2)
	ds := b.DaemonSet("agent")
	early, old := ds.Pod("early", "node-2").Ready(), ds.Pod("old", "node-1").Ready()
	b.After(long)
	early.Terminating()
	old.Terminating()
	last := b.Version()
	began := b.Now()
	b.After(time.Second)
	ds.Update("v2").Pod("new", "node-1").Ready()
	b.After(9 * time.Second)
	m := measured("node-1", 4000, 3)
	// The client began 10 s before it ended, and was left alone from the old pod's end on.
	m.Lasted, m.SilenceAt, m.LongestSilence = b.Now().Sub(began)+time.Second, time.Second, 1500*time.Millisecond
	h := b.Measured(m).Measured(measured("node-2", 4000, 0)).History()
	violations := answerOf(h, NoRequestFailed("surge")).Violations
	if len(violations) != 1 {
		t.Fatalf("violations %v, want one", violations)
	}
	v := violations[0]
	if v.Node != "node-1" || !v.Time.Equal(began) || v.ResourceVersion != last {
		t.Errorf("on %s at %v, resourceVersion %d; want node-1 at %v, %d", v.Node, v.Time, v.ResourceVersion, began, last)
	}
	var shown []string
	for _, entry := range v.Window {
		if entry.Object != nil {
			shown = append(shown, entry.Object.GetName())
		} else if entry.Measurement != nil {
			shown = append(shown, "measurement")
		}
	}
	if want := []string{"old", "new", "new", "measurement"}; !slices.Equal(shown, want) {
		t.Errorf("shows %v, want %v", shown, want)
	}
}

func TestRequestsAreSummedUpForTheReport(t *testing.T) {
	b := served(t)
	if got := Requests(b.History()); got != "" {
		t.Errorf("without a measurement %q", got)
	}
	plain := measured("node-2", 5, 0)
	plain.During = ""
	got := Requests(b.Measured(measured("node-1", 4000, 3)).Measured(plain).History())
	want := "requests during surge: node node-1: sent 4000, failed 3, longest silence 240 ms\n" +
		"requests: node node-2: sent 5, failed 0, longest silence 12 ms"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheStandingJudgesTakeNoNoticeOfMeasurements(t *testing.T) {
	// Cut short, an entry's neighbours decide whether it is settled; so a measurement must count for nothing there either.
	for name, end := range map[string]func(*historytest.Builder) *history.History{
		"whole": (*historytest.Builder).History, "cut": (*historytest.Builder).Cut,
	} {
		t.Run(name, func(t *testing.T) {
			without, with := end(served(t)), end(served(t).Measured(measured("node-1", 4000, 3)))
			for i, verdict := range judge.Run(with, rules.All()) {
				want := judge.Run(without, rules.All())[i]
				if verdict.Outcome != want.Outcome || verdict.Exercised != want.Exercised || len(verdict.Violations) != len(want.Violations) {
					t.Errorf("%s: %s, exercised %t; without the measurement %s, %t", verdict.Requirement, verdict.Outcome, verdict.Exercised, want.Outcome, want.Exercised)
				}
			}
		})
	}
}
