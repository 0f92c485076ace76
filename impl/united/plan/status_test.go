package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// rounds lets everybody act in turn, that often.
func (w *world) rounds(n int) {
	for range n {
		for _, write := range w.writes() {
			write()
		}
		for _, name := range slices.Sorted(maps.Keys(w.sets)) {
			w.daemonSet(name)
		}
		for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
			w.kubelet(name)
		}
		w.now = w.now.Add(time.Second)
	}
}

// enough is after how many rounds a world of a few nodes has settled.
const enough = 100

// condition returns the condition of that type as one line; empty if there is none.
func condition(status api.Status, kind string) string {
	condition := meta.FindStatusCondition(status.Conditions, kind)
	if condition == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s: %s", condition.Status, condition.Reason, condition.Message)
}

func TestTheStatusTellsWhoseTheNodesAre(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(4, rolling(0, 1))
	w.rounds(enough)
	w.unite(named("first", image("v2"), "node-1", "node-0"), named("second", image("v3"), "node-1", "node-2"), named("empty", image("v4"), "elsewhere"))
	w.rounds(enough)
	status := w.united.Status
	g.Expect(status.ObservedGeneration).To(Equal(w.united.Generation), "UNITED-017")
	g.Expect(status.SubsetStatuses).To(Equal([]api.SubsetStatus{
		{Name: "first", DesiredNumberScheduled: 2, MatchNodes: []string{"node-0", "node-1"}},
		{Name: "second", DesiredNumberScheduled: 1, MatchNodes: []string{"node-2"}},
		{Name: "empty"},
	}), "UNITED-018, UNITED-037")
	g.Expect(condition(status, api.Effective)).To(Equal("True, TargetFound: the target is DaemonSet daemon"))
	g.Expect(condition(status, api.SubsetsValid)).To(Equal("True, Valid: every patch can be applied"))
	g.Expect(condition(status, api.Overlapping)).To(Equal("True, FirstSubsetWins: node node-1 is subset first's, not second's"), "UNITED-037")
	g.Expect(condition(status, api.Settled)).To(Equal("True, Settled: every node is with the member that it belongs to"))
	g.Expect(plan.Plan(w.state(), w.now.Add(time.Hour)).Status).To(BeNil(), "a status that is there already is not written again")
}

func TestTheStatusTellsWhatIsWrong(t *testing.T) {
	labels := api.Patch{Template: &runtime.RawExtension{Raw: []byte(`{"metadata":{"labels":{"app":"another"}}}`)}}
	good := named("good", image("v2"), "node-0")
	for name, c := range map[string]struct {
		change          func(w *world, state *plan.State)
		kind, condition string
	}{
		"no target": {
			func(_ *world, state *plan.State) { state.DaemonSets = nil }, api.Effective, "False, TargetNotFound: there is no DaemonSet daemon",
		},
		"no target any more": {func(_ *world, state *plan.State) { state.DaemonSets = nil }, api.Settled, ""},
		"an older UnitedDaemonSet of the target": {
			func(w *world, state *plan.State) {
				other := w.united.DeepCopy()
				other.Name, other.UID, other.CreationTimestamp = "rival", "rival", metav1.NewTime(w.united.CreationTimestamp.Add(-time.Second))
				state.Others = append(state.Others, other)
			}, api.Effective, "False, TargetTaken: UnitedDaemonSet rival has DaemonSet daemon as its target, and had it first",
		},
		"a younger UnitedDaemonSet of the target": {
			func(w *world, state *plan.State) {
				other := w.united.DeepCopy()
				other.Name, other.UID, other.CreationTimestamp = "rival", "rival", metav1.NewTime(w.united.CreationTimestamp.Add(time.Second))
				state.Others = append(state.Others, other)
			}, api.Effective, "True, TargetFound: the target is DaemonSet daemon",
		},
		"one of the same second that comes first by its name, but has not begun": {
			func(w *world, state *plan.State) {
				other := w.united.DeepCopy()
				other.Name, other.UID, other.Finalizers = "another", "another", nil
				state.Others = append(state.Others, other)
			}, api.Effective, "True, TargetFound: the target is DaemonSet daemon",
		},
		"one of the same second that comes last by its name, but has begun": {
			func(w *world, state *plan.State) {
				other := w.united.DeepCopy()
				other.Name, other.UID = "zebra", "zebra"
				w.united.Finalizers = nil
				state.Others = append(state.Others, other)
			}, api.Effective, "False, TargetTaken: UnitedDaemonSet zebra has DaemonSet daemon as its target, and had it first",
		},
		"a patch that changes the selector's labels": {
			func(w *world, _ *plan.State) { w.unite(named("bad", labels, "node-1"), good) }, api.SubsetsValid,
			"False, InvalidSubset: subset bad: the patch changes labels that the target's selector asks for",
		},
		"nodes that move": {
			func(w *world, _ *plan.State) { w.unite(good, named("more", image("v3"), "node-1")) }, api.Settled, "False, Moving: to be moved: node-1",
		},
		"more nodes that move than a message has room for": {
			func(w *world, _ *plan.State) {
				var nodes []string
				for i := range 12 {
					nodes = append(nodes, fmt.Sprintf("node-%d", i))
				}
				w.unite(good, named("more", image("v3"), nodes...))
			}, api.Settled, "False, Moving: to be moved: node-1; node-10; node-11; node-2; node-3; node-4; node-5; node-6; node-7; node-8; and 1 more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(12, rolling(0, 1))
			w.unite(good)
			w.rounds(enough)
			state := w.state()
			c.change(w, &state)
			state.United = w.united
			got := w.united.Status
			if status := plan.Plan(state, w.now).Status; status != nil {
				got = *status
			}
			g.Expect(condition(got, c.kind)).To(Equal(c.condition))
			g.Expect(got.ObservedGeneration).To(Equal(w.united.Generation))
		})
	}
}
