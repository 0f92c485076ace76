package run

import (
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestAnExplorationSaysHowItGetsOn(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	see, began := (&explored{out: &out}).see, time.Unix(0, 0)
	played := func(after time.Duration, recording string, broken ...requirements.ID) {
		event := reports.Event{Event: reports.EventSpecEnded, Time: began.Add(after), Recording: recording, Verdict: reports.Pass}
		for _, id := range broken {
			event.Verdict = reports.Fail
			event.Requirements = append(event.Requirements, reports.EventVerdict{Requirement: id, Verdict: reports.Fail})
		}
		see(event)
	}
	see(reports.Event{Event: reports.EventRunBegan, Time: began})
	played(20*time.Second, "a.jsonl", "SURGE-007", "STRESS-001")
	played(30*time.Second, "b.jsonl", "SURGE-007")
	played(59*time.Second, "c.jsonl")
	played(61*time.Second, "d.jsonl", "AVAIL-005", "SURGE-007")
	played(100*time.Second, "e.jsonl")
	played(130*time.Second, "f.jsonl")
	const want = `rollcall: 20s: SURGE-007 is broken, in a.jsonl
rollcall: 1m1s: AVAIL-005 is broken, in d.jsonl
rollcall: 1m1s: 4 schedules played, 3 of them broke a promise
rollcall: 2m10s: 6 schedules played, 3 of them broke a promise
`
	if out.String() != want {
		t.Errorf("said\n%swant\n%s", out.String(), want)
	}
}

// Whoever writes must not wait for a reader that has given up.
func TestEventsAreReadToTheEnd(t *testing.T) {
	t.Parallel()
	from := strings.NewReader("{\"event\":\"runBegan\"}\n{\"event\":\"specEnded\"}\nnot one\n{\"event\":\"summary\"}\n")
	var kinds []reports.EventKind
	readEvents(from, func(event reports.Event) { kinds = append(kinds, event.Event) })
	if len(kinds) != 2 || from.Len() > 0 {
		t.Errorf("read %q, %d bytes left", kinds, from.Len())
	}
}
