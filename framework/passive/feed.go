package passive

import (
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// feed is what a recorder has recorded and nobody has judged yet.
type feed struct {
	mu          sync.Mutex
	entries     []history.Entry
	claims      []history.Entry
	standstills []history.Standstill
	gap         *history.Gap
	// from is the version up to which another recording has what happened, later how much later this one began.
	from  uint64
	later time.Duration
}

func (f *feed) entry(entry history.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case entry.Kind.EvidenceOnly():
		f.claims = append(f.claims, entry)
	case entry.ResourceVersion > f.from:
		f.entries = append(f.entries, entry)
	}
}

func (f *feed) onGap(gap history.Gap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gap = &gap
}

func (f *feed) onStandstill(standstill history.Standstill) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.standstills = append(f.standstills, f.shift(standstill))
}

func (f *feed) shift(standstill history.Standstill) history.Standstill {
	standstill.From, standstill.Until = standstill.From+f.later, standstill.Until+f.later
	return standstill
}

// follow makes the feed go on where another one ends, whose recording is complete up to the version, and which began that much earlier.
func (f *feed) follow(before *feed, through uint64, later time.Duration) {
	rest := before.take(through)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.from, f.later = through, before.later+later
	f.entries = slices.Concat(rest.entries, slices.DeleteFunc(f.entries, func(entry history.Entry) bool { return entry.ResourceVersion <= through }))
	f.claims = append(rest.claims, f.claims...)
	for i := range f.standstills {
		f.standstills[i] = f.shift(f.standstills[i])
	}
	// Both recordings may have those of the time in which there were two.
	for _, standstill := range f.standstills {
		if !slices.Contains(rest.standstills, standstill) {
			rest.standstills = append(rest.standstills, standstill)
		}
	}
	f.standstills = rest.standstills
}

func (f *feed) missing() *history.Gap {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gap
}

// newest is the version of the newest entry; 0 without any.
func (f *feed) newest() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	var newest uint64
	for _, entry := range f.entries {
		newest = max(newest, entry.ResourceVersion)
	}
	return newest
}

// length is how much was not judged yet.
func (f *feed) length() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.entries)
}

// taken is what was taken from a feed.
type taken struct {
	entries []history.Entry
	// times are when each happened at the latest.
	times       []time.Time
	claims      []history.Entry
	standstills []history.Standstill
}

// take removes what is not behind a version, in order.
func (f *feed) take(through uint64) taken {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := history.History{Entries: f.entries}
	all.Sort()
	t := taken{claims: f.claims, standstills: f.standstills}
	n := 0
	for n < len(all.Entries) && all.Entries[n].ResourceVersion <= through {
		n++
	}
	t.entries, t.times = all.Entries[:n], all.Times()[:n]
	f.entries, f.claims, f.standstills = slices.Clone(all.Entries[n:]), nil, nil
	return t
}

// bench judges what is fed to it, and follows the rollouts.
type bench struct {
	live    *judge.Live
	witness *witness
	tracker *tracker
	// first is the version of the state with which the recording begins; settled: that is known.
	first   uint64
	settled bool
	// began: the first entries were there, which say from when everything was recorded.
	began bool
}

func newBench(header history.Header, first uint64, tracker *tracker) *bench {
	return &bench{live: judge.NewLive(header, Rules()), witness: newWitness(header.Start), first: first, tracker: tracker}
}

// judge takes in what was recorded, and that nothing else happened up to a time. It returns what breaks a rule.
func (b *bench) judge(t taken, until time.Time) []judge.Violation {
	for _, claim := range t.claims {
		b.witness.hear(claim)
	}
	for _, standstill := range t.standstills {
		b.live.Standstill(standstill)
	}
	if !b.began && len(t.entries) > 0 {
		b.witness.start, b.began = begun(t.entries, b.witness.start), true
	}
	cluster := b.live.Cluster()
	for i, entry := range t.entries {
		if entry.ResourceVersion > b.first {
			b.settle(cluster)
		}
		entry.Author = b.author(cluster, entry)
		change := b.live.See(entry, t.times[i])
		if b.settled {
			b.tracker.see(cluster, change)
		}
	}
	b.live.Pass(until)
	b.settle(cluster)
	b.tracker.pass(cluster)
	b.witness.forget(until.Add(-time.Minute))
	return slices.DeleteFunc(b.live.Violations(), unsure(b.witness.start))
}

func (b *bench) settle(cluster *history.Cluster) {
	if !b.settled {
		b.tracker.resume(cluster)
		b.settled = true
	}
}

func (b *bench) author(cluster *history.Cluster, entry history.Entry) *history.Author {
	switch object := entry.Object.(type) {
	case *corev1.Pod:
		var owner *appsv1.DaemonSet
		if controller := metav1.GetControllerOf(object); controller != nil {
			owner = cluster.DaemonSets[controller.UID]
		}
		if before := cluster.Pods[object.UID]; before != nil {
			return b.witness.author(entry, before, owner)
		}
		return b.witness.author(entry, nil, owner)
	case *appsv1.DaemonSet:
		if before := cluster.DaemonSets[object.UID]; before != nil {
			return b.witness.author(entry, before, nil)
		}
	}
	return b.witness.author(entry, nil, nil)
}
