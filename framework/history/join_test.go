package history_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// versions are those of the entries, in order.
func versions(h *history.History) []uint64 {
	var all []uint64
	for _, entry := range h.Entries {
		all = append(all, entry.ResourceVersion)
	}
	return all
}

func TestJoinedRecordingsAreAsOneThatWasNeverRotated(t *testing.T) {
	whole := historytest.SurgeRollout(t, 2)
	first, second := *whole, *whole
	first.Entries, second.Entries = slices.Clone(whole.Entries[:20]), slices.Clone(whole.Entries[10:])
	const later = 7 * time.Second
	second.Start = whole.Start.Add(later)
	second.Standstills = []history.Standstill{{From: time.Second, Until: 3 * time.Second}}
	for i := range second.Entries {
		second.Entries[i].Received -= later
	}
	joined := history.Join(&first, &second)
	if !slices.Equal(versions(joined), versions(whole)) {
		t.Errorf("got %v, want %v", versions(joined), versions(whole))
	}
	for i, entry := range joined.Entries {
		if entry.Received != whole.Entries[i].Received {
			t.Errorf("entry %d was received after %s, want %s", i, entry.Received, whole.Entries[i].Received)
		}
	}
	if s := joined.Standstills; len(s) != 1 || s[0].From != later+time.Second || s[0].Until != later+3*time.Second || !joined.CaughtUp {
		t.Errorf("standstills %v, caught up %t", s, joined.CaughtUp)
	}
	second.CaughtUp, second.Damage = false, "it was cut off"
	if joined := history.Join(&first, &second); joined.CaughtUp || joined.Damage != "it was cut off" {
		t.Errorf("caught up %t, damage %q", joined.CaughtUp, joined.Damage)
	}
	if len(first.Entries) != 20 {
		t.Error("joining changes the first")
	}
}

func TestThroughLeavesOutWhatIsBehind(t *testing.T) {
	h := historytest.SurgeRollout(t, 2)
	all := versions(h)
	h.CaughtUp = false
	h.Through(all[9])
	if !h.CaughtUp || !slices.Equal(versions(h), all[:10]) {
		t.Errorf("caught up %t, %v", h.CaughtUp, versions(h))
	}
}

func TestWhereAdmissionChangesPodsItIsKnownWhichRevisionTheyAre(t *testing.T) {
	for name, row := range map[string]struct {
		watched []string
		want    map[string]bool
	}{
		"in a scenario": {nil, map[string]bool{"old": false, "updated": true, "of a template before": false}},
		"in a watch":    {[]string{"*/*"}, map[string]bool{"old": false, "updated": true, "of a template before": false}},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(3)
			ds := b.DaemonSet("agent")
			ds.Revision("v0", 1)
			admitted := func(pod *corev1.Pod) {
				pod.Spec.Containers = append(slices.Clone(pod.Spec.Containers), corev1.Container{Name: "sidecar", Image: "mesh:v1"})
			}
			ds.PodOf("v0", "of a template before", "node-1", admitted)
			ds.PodOf("v1", "old", "node-2", admitted)
			ds.Revision("v1", 2)
			ds.Update("v2").Revision("v2", 3)
			ds.PodOf("v2", "updated", "node-3", admitted)
			h := b.History()
			h.Watched = row.watched
			updated := map[string]bool{}
			h.Replay(func(cluster *history.Cluster, _ history.Change) {
				for _, pod := range cluster.Pods {
					updated[pod.Name] = cluster.IsUpdated(pod)
				}
			})
			for pod, want := range row.want {
				if updated[pod] != want {
					t.Errorf("%s: updated %t, want %t", pod, updated[pod], want)
				}
			}
		})
	}
}
