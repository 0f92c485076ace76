package passive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// told is a Listener that keeps what it is told.
type told struct {
	began, ended []*Rollout
	broken       []judge.Violation
	notes        []string
}

func (t *told) Recording()       {}
func (t *told) Began(r *Rollout) { t.began = append(t.began, r) }
func (t *told) Ended(r *Rollout) { t.ended = append(t.ended, r) }
func (t *told) Note(text string) { t.notes = append(t.notes, text) }
func (t *told) Broken(_ *history.History, broken []judge.Violation, _ []string) {
	t.broken = append(t.broken, broken...)
}

// replaying is a watcher of recordings that are there already.
type replaying struct {
	*watcher
	heard *told
	t     testing.TB
	whole *history.History
	// fed is how many entries were judged.
	fed int
}

func replay(t testing.TB, whole *history.History, first, keep int) *replaying {
	r := &replaying{t: t, whole: whole, heard: &told{}, watcher: &watcher{
		options: Options{Folder: t.TempDir(), Keep: keep}, spared: map[string]bool{}, shown: map[requirements.ID]bool{},
	}}
	r.options.Tell = r.heard
	r.tracker = newTracker(r.heard.Began, r.ended)
	r.record(whole, whole.Entries[first-1].ResourceVersion)
	r.bench = newBench(r.needed[0].header, r.needed[0].first, r.tracker)
	return r
}

// record has a recording be there.
func (r *replaying) record(h *history.History, first uint64) {
	r.parts++
	one := *h
	one.Part = r.parts
	path := filepath.Join(r.options.Folder, fmt.Sprintf("%03d.jsonl", r.parts))
	var text bytes.Buffer
	if err := one.Write(&text); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		r.t.Fatal(err)
	}
	next := &recording{part: part{path: path, header: one.Header, first: first}, feed: &feed{}}
	if r.current != nil {
		next.feed.follow(r.current.feed, first, one.Start.Sub(r.current.header.Start))
	}
	r.current, r.needed = next, append(r.needed, next.part)
}

// rotate begins another recording behind the first n entries, all of which are in the one before. It goes to the end-th.
func (r *replaying) rotate(n, end int) {
	part := *r.whole
	part.Entries = part.Entries[:end]
	later, err := historytest.Later(&part, n)
	if err != nil {
		r.t.Fatal(err)
	}
	r.record(later, r.whole.Entries[n-1].ResourceVersion)
}

// through judges the entries up to the n-th.
func (r *replaying) through(n int) {
	for _, entry := range r.whole.Entries[r.fed:n] {
		r.current.feed.entry(entry)
	}
	for _, claim := range r.whole.Evidence {
		r.current.feed.entry(claim)
	}
	r.fed = n
	last := r.whole.Entries[n-1]
	if err := r.judge(proof{version: last.ResourceVersion, at: last.Time}); err != nil {
		r.t.Fatal(err)
	}
	if err := r.forget(); err != nil {
		r.t.Fatal(err)
	}
}

// stuck is a rollout of three nodes, one at a time, in which the first updated pod does not become ready for hours. The numbers are those of entries: before the
// rollout, in the first hour, in the second, at the end.
func stuck(t testing.TB, overdraws bool) (h *history.History, begins, one, two int) {
	b := historytest.New(t).Nodes(3)
	ds := b.DaemonSet("agent", historytest.MaxUnavailable("1"))
	ds.Revision("v1", 1)
	var pods []*historytest.Pod
	for i := range 3 {
		pods = append(pods, ds.Pod(fmt.Sprintf("agent-%d", i+1), fmt.Sprintf("node-%d", i+1)).Ready())
	}
	b.After(time.Hour)
	begins = len(b.History().Entries)
	ds.Update("v2").Revision("v2", 2)
	pods[0].Terminating().Unready().Gone()
	slow := ds.Pod("agent-4", "node-1")
	restarts := func(hour int) int {
		for i := range 30 {
			b.After(2 * time.Minute)
			ds.Status(func(status *appsv1.DaemonSetStatus) { status.NumberMisscheduled = int32(i + 100*hour) })
		}
		return len(b.History().Entries)
	}
	one = restarts(1)
	two = restarts(2)
	restarts(3)
	if overdraws {
		pods[1].Terminating()
	}
	slow.Ready()
	for i := range 2 {
		b.After(time.Minute)
		if !overdraws || i > 0 {
			pods[i+1].Terminating()
		}
		pods[i+1].Unready().Gone()
		ds.Pod(fmt.Sprintf("agent-%d", i+5), fmt.Sprintf("node-%d", i+2)).Ready()
	}
	b.After(time.Minute)
	ds.Observed()
	h = b.History()
	h.Watched, h.Series = []string{"scenario/agent"}, "20260101T120000Z"
	for i, name := range []string{"agent-1", "agent-2", "agent-3"} {
		event := &corev1.Event{Reason: deleted, Message: "Deleted pod: " + name, InvolvedObject: corev1.ObjectReference{Kind: "DaemonSet", UID: ds.Object().UID}}
		// Each is heard of when its pod is deleted.
		at := slices.IndexFunc(h.Entries, func(entry history.Entry) bool {
			return entry.Kind == history.KindPod && entry.Object.GetName() == name && entry.Object.GetDeletionTimestamp() != nil
		})
		h.Evidence = append(h.Evidence, history.Entry{
			Type: watch.Added, Kind: history.KindEvent, Object: event, ResourceVersion: uint64(i), Received: h.Entries[at].Received, Time: h.Entries[at].Time,
		})
	}
	return h, begins, one, two
}

func TestARolloutThatDoesNotEndIsFollowedThoughItsBeginningIsForgotten(t *testing.T) {
	for name, overdraws := range map[string]bool{"lawful": false, "more than maxUnavailable": true} {
		t.Run(name, func(t *testing.T) {
			h, begins, one, two := stuck(t, overdraws)
			r := replay(t, h, begins, 1)
			r.through(one)
			r.rotate(one, len(h.Entries))
			if r.through(one + 20); len(r.needed) != 1 {
				t.Fatalf("%d recordings are needed, want the second alone", len(r.needed))
			}
			r.rotate(two, len(h.Entries))
			r.through(two)
			if len(r.needed) != 2 {
				t.Errorf("%d recordings are needed at the beginning of the third, want two: it does not reach back far enough", len(r.needed))
			}
			r.through(two + 1)
			r.through(len(h.Entries))
			left, err := filepath.Glob(filepath.Join(r.options.Folder, "*.jsonl"))
			if err != nil || len(r.needed) != 1 || len(left) != 2 {
				t.Errorf("%d recordings are needed, and left are %v, want the last, and one that is kept", len(r.needed), left)
			}
			if len(r.heard.began) != 1 || len(r.heard.ended) != 1 || len(r.tracker.underWay(h.Start)) > 0 || len(r.heard.notes) > 0 || len(r.result.Missed) > 0 {
				t.Fatalf("%d rollouts began, %d ended, notes %q, missed %q", len(r.heard.began), len(r.heard.ended), r.heard.notes, r.result.Missed)
			}
			over := r.heard.ended[0]
			if over.Underway || over.Overtaken || over.Lasted(over.Ended).Round(time.Minute) != 182*time.Minute || len(over.Took) != 3 || over.Deleted != 3 ||
				!slices.Equal(over.Order, []string{"node-1", "node-2", "node-3"}) {
				t.Errorf("wrong numbers: %+v", over)
			}
			alarms := slices.ContainsFunc(r.heard.broken, func(v judge.Violation) bool { return v.Requirement == "ROLLING-002" && v.Node == "node-2" })
			if alarms != overdraws || !overdraws && len(r.heard.broken) > 0 {
				t.Errorf("broken: %v", r.heard.broken)
			}
			if overdraws != (len(r.spared) == 1) {
				t.Errorf("kept for good: %v", r.spared)
			}
		})
	}
}

func TestAStateOfWhichIsNotKnownHowItCameAbout(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	ds.Revision("v1", 1)
	pod := ds.Pod("agent-1", "node-1").Ready()
	running := len(b.History().Entries)
	ds.Update("v2").Revision("v2", 2)
	rolling := len(b.History().Entries)
	pod.Terminating().Gone()
	ds.Pod("agent-2", "node-1").Ready()
	over := len(b.History().Entries)
	ds.Gone()
	gone := len(b.History().Entries)
	h := b.History()
	state := func(n int) *history.Cluster {
		cluster := h.NewCluster()
		for _, entry := range h.Entries[:n] {
			cluster.Apply(entry)
		}
		return cluster
	}
	for name, row := range map[string]struct {
		states                       []int
		began, ended, overtaken, now int
	}{
		"at rest":                          {[]int{running}, 0, 0, 0, 0},
		"under way":                        {[]int{rolling}, 1, 0, 0, 1},
		"still under way":                  {[]int{rolling, rolling}, 1, 0, 0, 1},
		"begun meanwhile":                  {[]int{running, rolling}, 1, 0, 0, 1},
		"over meanwhile":                   {[]int{rolling, over}, 1, 1, 0, 0},
		"begun and over meanwhile":         {[]int{running, over}, 1, 1, 0, 0},
		"deleted meanwhile":                {[]int{rolling, gone}, 1, 1, 1, 0},
		"another template, then as before": {[]int{rolling, running}, 2, 2, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			listener, overtaken := &told{}, 0
			tracker := newTracker(listener.Began, listener.Ended)
			for _, n := range row.states {
				tracker.resume(state(n))
			}
			for _, r := range listener.ended {
				if r.Overtaken {
					overtaken++
				}
			}
			if now := len(tracker.underWay(h.Start)); len(listener.began) != row.began || len(listener.ended) != row.ended || overtaken != row.overtaken || now != row.now {
				t.Errorf("%d began, %d ended, %d overtaken, %d under way", len(listener.began), len(listener.ended), overtaken, now)
			}
		})
	}
}
