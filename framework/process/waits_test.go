package process

import (
	"testing"
	"time"
)

// TestAProgramWaitsWhileNoneOfItsThreadsRuns has a program looked at every 250 ms.
func TestAProgramWaitsWhileNoneOfItsThreadsRuns(t *testing.T) {
	const ms = time.Millisecond
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		// looks are, at each, the threads' times since the one before.
		looks        []map[int]usage
		from, waited time.Duration
	}{
		"it sleeps":                             {[]map[int]usage{{1: {}}}, 0, 0},
		"it runs":                               {[]map[int]usage{{1: {ran: 250 * ms}}}, 0, 0},
		"it waits":                              {[]map[int]usage{{1: {ran: 10 * ms, waited: 240 * ms}}}, 0, 240 * ms},
		"two threads wait at once":              {[]map[int]usage{{1: {waited: 200 * ms}, 2: {waited: 240 * ms}}}, 0, 240 * ms},
		"a thread waits while another one runs": {[]map[int]usage{{1: {waited: 240 * ms}, 2: {ran: 240 * ms}}}, 0, 0},
		"four threads share two processors": {[]map[int]usage{{
			1: {125 * ms, 125 * ms}, 2: {125 * ms, 125 * ms}, 3: {125 * ms, 125 * ms}, 4: {125 * ms, 125 * ms},
		}}, 0, 0},
		"a long wait shows at its end": {[]map[int]usage{{1: {}}, {1: {}}, {1: {ran: ms, waited: 700 * ms}}}, 50 * ms, 700 * ms},
		"others ran in a long wait": {[]map[int]usage{
			{1: {}, 2: {ran: 250 * ms}}, {1: {}, 2: {ran: 250 * ms}}, {1: {waited: 700 * ms}, 2: {ran: 100 * ms}},
		}, 50 * ms, 100 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			var m meter
			threads := map[int]usage{1: {time.Hour, time.Hour}}
			m.look(begin, map[int]usage{1: threads[1]})
			now, got := begin, Wait{}
			for _, each := range row.looks {
				now = now.Add(waitsInterval)
				next := map[int]usage{}
				for id, more := range each {
					next[id] = usage{threads[id].ran + more.ran, threads[id].waited + more.waited}
				}
				threads = next
				got = m.look(now, next)
			}
			if got.Waited != row.waited || row.waited > 0 && (!got.From.Equal(begin.Add(row.from)) || !got.Until.Equal(now)) {
				t.Errorf("waited %s from %s to %s, want %s from %s", got.Waited, got.From.Sub(begin), got.Until.Sub(begin), row.waited, row.from)
			}
		})
	}
}

func TestWaitsNearEachOtherAreAStretch(t *testing.T) {
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var w waits
	wait := func(at, waited time.Duration) {
		w.add(Wait{From: begin.Add(at), Until: begin.Add(at + waitsInterval), Waited: waited})
	}
	for i := range 8 {
		wait(time.Duration(i)*waitsInterval, 150*time.Millisecond)
	}
	wait(5*time.Second, 200*time.Millisecond)
	wait(8*time.Second, 20*time.Millisecond)
	for i := range 8 {
		wait(10*time.Second+time.Duration(i)*2*waitsInterval, 200*time.Millisecond)
	}
	got := w.since(begin)
	if len(got) != 2 {
		t.Fatalf("%d stretches, want 2, without the short one: %v", len(got), got)
	}
	if first := got[0]; !first.From.Equal(begin) || first.Waited != 1200*time.Millisecond || first.Until.Sub(begin) != 2*time.Second {
		t.Errorf("first %v", first)
	}
	if second := got[1]; second.Waited != 1600*time.Millisecond || second.From.Sub(begin) != 10*time.Second {
		t.Errorf("second %v", second)
	}
	if left := w.since(begin.Add(5 * time.Second)); len(left) != 1 {
		t.Errorf("%d since then, want 1", len(left))
	}
}
