package passive

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// behind is how much of what came before a judgement goes by, at least: longer than anything that a rule which is fair here still excuses.
const behind = time.Minute

// forget lets go of the recordings that end more than behind before what is judged, and has the judgement go on as whoever has the later ones alone would judge. So
// what a watch holds does not grow, however long a rollout goes on. Rollouts are followed on: their numbers do not begin again.
func (w *watcher) forget() error {
	n := 0
	for n+1 < len(w.needed) && !w.needed[n+1].header.Start.Add(behind).After(w.judged.at) {
		n++
	}
	if n == 0 || w.bench.live.Overshadowed(w.judged.at) {
		return nil
	}
	left := w.needed[n:]
	h, err := Open(paths(left)...)
	if err != nil {
		return err
	}
	h.Through(w.judged.version)
	bench := newBench(left[0].header, left[0].first, newTracker(func(*Rollout) {}, func(*Rollout) {}))
	// What breaks a rule there was told before.
	bench.judge(replayed(h), w.judged.at)
	bench.follow(w.tracker)
	w.current.feed.since(left[0].header.Start.Sub(w.needed[0].header.Start))
	w.bench = bench
	w.release(n)
	return w.prune()
}

// replayed is all of a history, as if it were taken from a feed.
func replayed(h *history.History) taken {
	return taken{entries: h.Entries, times: h.Times(), claims: h.Evidence, standstills: h.Standstills}
}

// follow has the bench follow the rollouts that another one has followed so far.
func (b *bench) follow(t *tracker) {
	b.tracker = t
	t.resume(b.live.Cluster())
}

// since has the judgement begin so much later than it did.
func (f *feed) since(later time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.later -= later
	for i := range f.standstills {
		f.standstills[i].From -= later
		f.standstills[i].Until -= later
	}
}
