package passive

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// overdraw writes a history in which two pods of three are deleted within maxUnavailable 1, and returns them.
func overdraw(b *historytest.Builder) (ds *historytest.DaemonSet, gone []*historytest.Pod) {
	b.Nodes(3)
	ds = b.DaemonSet("agent", historytest.MaxUnavailable("1"))
	for i, name := range []string{"agent-a", "agent-b", "agent-c"} {
		gone = append(gone, ds.Pod(name, []string{"node-1", "node-2", "node-3"}[i]).Ready())
	}
	b.After(20 * time.Second)
	ds.Update("v2")
	gone[0].Terminating()
	gone[1].Terminating()
	b.After(20 * time.Second)
	return ds, gone
}

// said is an Event by which the DaemonSet's controller says something of a pod, so long after the recording's beginning.
func said(ds *historytest.DaemonSet, reason, message, related string, after time.Duration, h *history.History) history.Entry {
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: message}, Reason: reason, Message: message,
		InvolvedObject: corev1.ObjectReference{Kind: "DaemonSet", UID: ds.Object().UID},
	}
	if related != "" {
		event.Related = &corev1.ObjectReference{Kind: "Pod", Name: related}
	}
	return history.Entry{Type: watch.Added, Kind: history.KindEvent, Object: event, Received: after, Time: h.Start.Add(after)}
}

func TestOnlyWhatTheControllerSaysItDidIsHeldAgainstIt(t *testing.T) {
	const at = 20 * time.Second
	for name, row := range map[string]struct {
		claims func(ds *historytest.DaemonSet, h *history.History) []history.Entry
		want   judge.Outcome
	}{
		"nobody says anything": {func(*historytest.DaemonSet, *history.History) []history.Entry { return nil }, judge.Holds},
		"one is the controller's": {func(ds *historytest.DaemonSet, h *history.History) []history.Entry {
			return []history.Entry{said(ds, deleted, "Deleted pod: agent-a", "", at, h)}
		}, judge.Holds},
		"both are, one of them summed up with others": {func(ds *historytest.DaemonSet, h *history.History) []history.Entry {
			return []history.Entry{
				said(ds, deleted, "Deleted pod: agent-a", "", at, h), said(ds, deleted, "(combined from similar events): Deleted pod: agent-b", "", at+time.Second, h),
			}
		}, judge.Broken},
		"both are, as what is related": {func(ds *historytest.DaemonSet, h *history.History) []history.Entry {
			return []history.Entry{said(ds, deleted, "gone", "agent-a", at, h), said(ds, deleted, "gone too", "agent-b", at, h)}
		}, judge.Broken},
		"it says so too late": {func(ds *historytest.DaemonSet, h *history.History) []history.Entry {
			return []history.Entry{said(ds, deleted, "Deleted pod: agent-a", "", at, h), said(ds, deleted, "Deleted pod: agent-b", "", at+settle+2*time.Second, h)}
		}, judge.Holds},
		"it said so long before, of another pod of the name": {func(ds *historytest.DaemonSet, h *history.History) []history.Entry {
			return []history.Entry{said(ds, deleted, "Deleted pod: agent-a", "", at, h), said(ds, deleted, "Deleted pod: agent-b", "", at-settle-2*time.Second, h)}
		}, judge.Holds},
		"it says that it created them": {func(ds *historytest.DaemonSet, h *history.History) []history.Entry {
			return []history.Entry{said(ds, created, "Created pod: agent-a", "", at, h), said(ds, created, "Created pod: agent-b", "", at, h)}
		}, judge.Holds},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t)
			ds, _ := overdraw(b)
			h := b.History()
			h.Evidence = row.claims(ds, h)
			floor, _ := Judge(h).Of("ROLLING-002")
			if floor.Outcome != row.want {
				t.Errorf("%s, want %s: %v", floor.Outcome, row.want, floor.Violations)
			}
		})
	}
}

func TestWhoMadeAPodIsWhoWritesTheStatus(t *testing.T) {
	start := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	managed := func(manager, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Subresource: subresource}
	}
	for name, row := range map[string]struct {
		pod, status []string
		created     time.Duration
		want        history.Who
	}{
		"the controller":                   {[]string{"kube-controller-manager"}, []string{"kube-controller-manager"}, time.Minute, history.Implementation},
		"a restored backup":                {[]string{"velero"}, []string{"kube-controller-manager"}, time.Minute, history.Others},
		"several who write the status":     {[]string{"kube-controller-manager"}, []string{"kube-controller-manager", "kubectl"}, time.Minute, history.Others},
		"nobody who writes the status":     {[]string{"kube-controller-manager"}, nil, time.Minute, history.Others},
		"it was there before the watch":    {[]string{"kube-controller-manager"}, []string{"kube-controller-manager"}, -time.Minute, history.Others},
		"a second that the watch began in": {[]string{"kube-controller-manager"}, []string{"kube-controller-manager"}, 0, history.Others},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent-a", CreationTimestamp: metav1.NewTime(start.Add(row.created))}}
			for _, manager := range row.pod {
				pod.ManagedFields = append(pod.ManagedFields, managed(manager, ""), managed("kubelet", "status"))
			}
			owner := &appsv1.DaemonSet{}
			owner.ManagedFields = append(owner.ManagedFields, managed("kubectl-create", ""))
			for _, manager := range row.status {
				owner.ManagedFields = append(owner.ManagedFields, managed(manager, "status"))
			}
			entry := history.Entry{Type: watch.Added, Kind: history.KindPod, Object: pod, Time: start.Add(row.created)}
			if author := newWitness(start).author(entry, nil, owner); author.Who != row.want {
				t.Errorf("%s, want %s", author.Who, row.want)
			}
		})
	}
}

func TestTheNumbersOfARollout(t *testing.T) {
	h := historytest.SurgeRollout(t, 10)
	updated := slices.IndexFunc(h.Entries, func(entry history.Entry) bool {
		return entry.Kind == history.KindDaemonSet && entry.Object.GetGeneration() > 1
	})
	// Whoever proves seldom judges the rollout together with the state that the recording begins with.
	for name, proven := range map[string]func(int) bool{
		"proven after every event": func(int) bool { return true },
		"proven once, at the end":  func(i int) bool { return i == len(h.Entries)-1 },
	} {
		t.Run(name, func(t *testing.T) {
			var over []*Rollout
			bench := newBench(h.Header, h.Entries[updated-1].ResourceVersion, newTracker(func(*Rollout) {}, func(r *Rollout) { over = append(over, r) }))
			f := &feed{}
			for i, entry := range h.Entries {
				f.entry(entry)
				if !proven(i) {
					continue
				}
				if found := bench.judge(f.take(entry.ResourceVersion), entry.Time); len(found) > 0 {
					t.Fatal(found[0])
				}
			}
			if len(over) != 1 || len(bench.tracker.underWay(h.Start)) > 0 {
				t.Fatalf("%d rollouts over, resting %t", len(over), len(bench.tracker.underWay(h.Start)) == 0)
			}
			r := over[0]
			order := []string{"node-1", "node-2", "node-3", "node-4", "node-5", "node-6", "node-7", "node-8", "node-9", "node-10"}
			if r.Workload != "scenario/agent" || r.Underway || r.Overtaken || r.Nodes != 10 || !slices.Equal(r.Order, order) || r.Unavailable != 0 || r.Surged != 1 ||
				r.Limits != (Limits{Surge: 1}) || len(r.Took) != 10 || len(r.Waiting) != 0 || r.Deleted != 0 || r.Unclaimed != 10 {
				t.Errorf("wrong numbers: %+v", r)
			}
			if lasted := r.Lasted(r.Ended).Round(time.Second); lasted != 70*time.Second {
				t.Errorf("it took %s, want ten times seven seconds", lasted)
			}
			if len(r.Slow()) != 0 {
				t.Errorf("slow: %v, though all took the same", r.Slow())
			}
		})
	}
}

func TestSlowPodsAreThoseThatTookTwiceAsLongAsHalfOfThem(t *testing.T) {
	r := &Rollout{Took: []Took{{"a", "1", 4 * time.Second}, {"b", "2", 30 * time.Second}, {"c", "3", 5 * time.Second}, {"d", "4", 10 * time.Second}, {"e", "5", 5 * time.Second}}}
	if slow := r.Slow(); len(slow) != 1 || slow[0].Pod != "b" {
		t.Errorf("slow: %v", slow)
	}
}
