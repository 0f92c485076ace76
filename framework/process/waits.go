package process

import (
	"slices"
	"sync"
	"time"
)

const (
	// waitsInterval is the pause between two looks at how long a program waited for a processor.
	waitsInterval = 250 * time.Millisecond
	// leastWait is the least that a program waits within an interval for that to count.
	leastWait = waitsInterval * 2 / 5
	// waitsApart is how far apart two waits may be that are of one stretch.
	waitsApart = waitsInterval
	// leastWaits is the least that a program waits in a stretch that anybody is told of.
	leastWaits = 500 * time.Millisecond
	// waitsKept is for how long what a program ran is remembered: longer than a thread waits for a processor.
	waitsKept = time.Minute
	// stretchesKept bounds how many stretches are remembered, the last ones.
	stretchesKept = 1000
)

// Wait is a stretch in which a program waited for a processor, for most of the time.
type Wait struct {
	From, Until time.Time
	// Waited is for how long, at least, one of its threads was ready to run while none ran.
	Waited time.Duration
}

// usage is what a thread has had of the processors since it began.
type usage struct{ ran, waited time.Duration }

// meter finds out from looks at a program's threads when it waited.
type meter struct {
	threads map[int]usage
	looks   []look
}

// look is how long all threads had run by then.
type look struct {
	at  time.Time
	ran time.Duration
}

// look takes in what the threads have had by now, and returns how long the program waited since the look before, or since the beginning of a wait that has
// ended since then. It waits only while none of its threads runs: who computes on all processors waits for itself.
func (m *meter) look(now time.Time, threads map[int]usage) Wait {
	before := m.threads
	m.threads = threads
	if before == nil {
		m.looks = []look{{at: now}}
		return Wait{}
	}
	last := m.looks[len(m.looks)-1]
	ran := last.ran
	for id, is := range threads {
		ran += is.ran - before[id].ran
	}
	longest := Wait{From: last.at, Until: now}
	for id, is := range threads {
		waited := is.waited - before[id].waited
		from := now.Add(-max(waited, now.Sub(last.at)))
		others := ran - m.ranBy(from) - (is.ran - before[id].ran)
		if alone := waited - others; alone > longest.Waited {
			longest = Wait{From: from, Until: now, Waited: alone}
		}
	}
	m.looks = append(slices.DeleteFunc(m.looks, func(l look) bool { return now.Sub(l.at) > waitsKept }), look{now, ran})
	return longest
}

// ranBy is how long the threads had run by an instant, at the last look before it.
func (m *meter) ranBy(at time.Time) time.Duration {
	for _, l := range slices.Backward(m.looks) {
		if !l.at.After(at) {
			return l.ran
		}
	}
	if len(m.looks) == 0 {
		return 0
	}
	return m.looks[0].ran
}

// waits are a program's, over all its restarts.
type waits struct {
	mu  sync.Mutex
	all []Wait
}

// add joins the wait to the last stretch, or begins another one.
func (w *waits) add(wait Wait) {
	if wait.Waited < leastWait {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last := len(w.all) - 1
	switch {
	case last >= 0 && wait.From.Sub(w.all[last].Until) <= waitsApart:
		w.all[last] = w.all[last].with(wait)
		return
	case last >= 0 && w.all[last].Waited < leastWaits:
		w.all = w.all[:last]
	}
	w.all = append(w.all[max(0, len(w.all)-stretchesKept):], wait)
}

// with is the stretch together with a wait that is part of it.
func (w Wait) with(next Wait) Wait {
	if next.From.Before(w.From) {
		w.From = next.From
	}
	w.Until = next.Until
	w.Waited = min(w.Waited+next.Waited, w.Until.Sub(w.From))
	return w
}

// since are the stretches that ended after an instant and are long enough to matter.
func (w *waits) since(instant time.Time) []Wait {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.all), func(wait Wait) bool { return !wait.Until.After(instant) || wait.Waited < leastWaits })
}

// follow looks at the program's threads until it has ended. On a system that does not tell what they had of the processors it does nothing.
func (w *waits) follow(run *incarnation) {
	ticker := time.NewTicker(waitsInterval)
	defer ticker.Stop()
	var m meter
	for {
		threads := threadsOf(run.cmd.Process.Pid)
		if threads == nil {
			return
		}
		w.add(m.look(time.Now(), threads))
		select {
		case <-run.exited:
			return
		case <-ticker.C:
		}
	}
}

// WaitsSince are the stretches, ended after an instant, in which the program waited for a processor for half a second or more, as far as this is known: on Linux,
// of a program started with Options.Waits.
func (p *Process) WaitsSince(instant time.Time) []Wait { return p.waits.since(instant) }
