package passive

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// round is how many events are judged at once here.
const round = 500

// fleet is a DaemonSet with a Ready pod on each node of a history that is being written.
type fleet struct {
	w    *historytest.Builder
	ds   *historytest.DaemonSet
	pods []*historytest.Pod
}

func newFleet(b *testing.B, n int) *fleet {
	w := historytest.New(b).Nodes(n)
	f := &fleet{w: w, ds: w.DaemonSet("agent", historytest.MaxUnavailable("1")), pods: make([]*historytest.Pod, n)}
	for i := range f.pods {
		f.pods[i] = f.ds.Pod(fmt.Sprintf("v1-%d", i), f.node(i)).Ready()
	}
	return f
}

func (f *fleet) node(i int) string { return fmt.Sprintf("node-%d", i+1) }

// replace has another Ready pod in the place of that on the node, which sends heartbeats meanwhile.
func (f *fleet) replace(i int, name string) {
	f.pods[i].Terminating().Unready().Gone()
	f.pods[i] = f.ds.Pod(name, f.node(i)).Ready()
	for range 15 {
		f.w.Node(f.node(i)).Edit(func(node *corev1.Node) {
			metav1.SetMetaDataAnnotation(&node.ObjectMeta, "heartbeat", f.w.Now().String())
		})
	}
	f.w.After(3 * time.Second)
}

// rollouts writes a history of so many rollouts, one node at a time, on n nodes that send heartbeats meanwhile.
func rollouts(b *testing.B, n, times int) []history.Entry {
	f := newFleet(b, n)
	for rollout := range times {
		f.w.After(time.Minute)
		version := fmt.Sprintf("v%d", rollout+2)
		f.ds.Update(version)
		for i := range n {
			f.replace(i, fmt.Sprintf("%s-%d", version, i))
		}
	}
	return f.w.History().Entries
}

// BenchmarkHeld says how many bytes a watch of 500 nodes holds behind 10,000 events of a rollout, and behind 50,000 of five: what is over is forgotten.
func BenchmarkHeld(b *testing.B) {
	for _, times := range []int{1, 5} {
		b.Run(fmt.Sprintf("%d rollouts", times), func(b *testing.B) { measureHeld(b, times) })
	}
}

func measureHeld(b *testing.B, times int) {
	for b.Loop() {
		b.StopTimer()
		before := heldNow()
		entries := rollouts(b, 500, times)
		if len(entries) < 10_000*times {
			b.Fatalf("%d events", len(entries))
		}
		bench := newBench(history.Header{Kinds: Kinds(), RevisionLabel: historytest.RevisionLabel, Watched: []string{"*/*"}}, 0, newTracker(func(*Rollout) {}, func(*Rollout) {}))
		f := &feed{}
		b.StartTimer()
		for i := range entries {
			f.entry(entries[i])
			if (i+1)%round != 0 && i+1 != len(entries) {
				continue
			}
			if violations := bench.judge(f.take(entries[i].ResourceVersion), entries[i].Time); len(violations) > 0 {
				b.Fatal(violations[0])
			}
			// Whoever records keeps none.
			clear(entries[:i+1])
		}
		b.StopTimer()
		events := len(entries)
		entries = nil
		b.ReportMetric(float64(heldNow()-before), "bytes-held")
		b.ReportMetric(float64(events), "events")
		runtime.KeepAlive(bench)
		b.StartTimer()
	}
}

// endless is like rollouts, but a pod on the first node never becomes ready, and others delete the pods on the other nodes again and again. The rollout has begun
// behind the first so many entries.
func endless(b *testing.B, n, times int) (h *history.History, begins int) {
	f := newFleet(b, n)
	begins = len(f.w.History().Entries)
	f.w.After(time.Minute)
	f.ds.Update("v2")
	f.pods[0].Terminating().Unready().Gone()
	f.ds.Pod("stuck", f.node(0))
	for turn := range times {
		for i := 1; i < n; i++ {
			f.replace(i, fmt.Sprintf("v2-%d-%d", turn, i))
		}
	}
	h = f.w.History()
	h.Kinds, h.Watched = Kinds(), []string{"*/*"}
	return h, begins
}

// BenchmarkHeldByARolloutThatNeverEnds says how many bytes a watch of 500 nodes holds behind 10,000 events of a rollout that goes on, and behind 50,000, if another
// recording is begun every 5,000, and the recordings that are left.
func BenchmarkHeldByARolloutThatNeverEnds(b *testing.B) {
	for _, times := range []int{1, 5} {
		b.Run(fmt.Sprintf("%d0,000 events", times), func(b *testing.B) {
			for b.Loop() {
				before := heldNow()
				whole, begins := endless(b, 500, times)
				r := replay(b, whole, begins, 1)
				all := len(whole.Entries)
				for n, part := begins, 1; n < all; n += round {
					r.through(n)
					if n > 5000*part {
						part++
						r.rotate(n, min(n+6000, all))
					}
				}
				r.through(all)
				if len(r.heard.began) != 1 || len(r.heard.ended) != 0 || len(r.heard.broken) != 0 {
					b.Fatalf("%d began, %d ended, %v", len(r.heard.began), len(r.heard.ended), r.heard.broken)
				}
				left := len(r.needed) + len(r.kept)
				r.whole, whole = nil, nil
				b.ReportMetric(float64(heldNow()-before), "bytes-held")
				b.ReportMetric(float64(all), "events")
				b.ReportMetric(float64(left), "recordings")
				runtime.KeepAlive(r)
			}
		})
	}
}

func heldNow() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestAFeedThatGoesOnWhereAnotherEndsHasEverythingOnce(t *testing.T) {
	h := historytest.SurgeRollout(t, 2)
	old, next := &feed{}, &feed{}
	end := h.Entries[20].ResourceVersion
	for i, entry := range h.Entries {
		if entry.ResourceVersion <= end {
			old.entry(entry)
		}
		if i > 10 && i < 30 {
			next.entry(entry)
		}
	}
	judged := old.take(h.Entries[5].ResourceVersion).entries
	next.onStandstill(history.Standstill{From: time.Second, Until: 3 * time.Second})
	next.follow(old, end, time.Minute)
	for _, entry := range h.Entries[15:] {
		next.entry(entry)
	}
	rest := next.take(h.Entries[29].ResourceVersion)
	judged = append(judged, rest.entries...)
	if next.length() == 0 {
		t.Error("what came later is gone")
	}
	judged = append(judged, next.take(h.Entries[len(h.Entries)-1].ResourceVersion).entries...)
	seen := map[uint64]bool{}
	for _, entry := range judged {
		seen[entry.ResourceVersion] = true
	}
	if len(seen) != len(h.Entries) {
		t.Errorf("%d of %d events", len(seen), len(h.Entries))
	}
	if len(rest.standstills) != 1 || rest.standstills[0].From != time.Minute+time.Second || rest.standstills[0].Lasted() != 2*time.Second {
		t.Errorf("standstills %v, want the one, a minute later", rest.standstills)
	}
}
