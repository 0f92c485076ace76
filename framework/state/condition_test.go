package state_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// counting makes conditions that hold, or do not, and count how often they are asked.
func counting(asked *int) func(holds bool) state.Condition {
	return func(holds bool) state.Condition {
		return state.When("counted", func(*history.Cluster) bool {
			*asked++
			return holds
		})
	}
}

func TestAllAsksEveryConditionEveryTime(t *testing.T) {
	g := NewWithT(t)
	asked := 0
	counts := counting(&asked)
	g.Expect(state.All(counts(true), counts(true)).Holds(nil)).To(BeTrue())
	g.Expect(state.All(counts(false), counts(true)).Unmet(nil)).To(Equal("not: counted"))
	g.Expect(asked).To(Equal(4))
}

func TestAnyAsksEveryConditionEveryTime(t *testing.T) {
	g := NewWithT(t)
	asked := 0
	counts := counting(&asked)
	g.Expect(state.Any(counts(true), counts(false)).Holds(nil)).To(BeTrue())
	g.Expect(state.Any(counts(false), counts(false)).Unmet(nil)).To(Equal("not: counted; not: counted"))
	g.Expect(asked).To(Equal(4))
}

// end is the state that a history ends with.
func end(b *historytest.Builder) (last *history.Cluster) {
	b.History().Replay(func(cluster *history.Cluster, _ history.Change) { last = cluster })
	return last
}

func TestWhatIsMissingUntilADaemonSetIsRolledOut(t *testing.T) {
	b := historytest.New(t).Nodes(3)
	ds := b.DaemonSet("agent")
	old := ds.Pod("old", "node-1").Ready()
	ds.Update("v2")
	ds.Pod("new", "node-2").Unready()
	g := NewWithT(t)
	everything := state.EveryDaemonSetRolledOut()
	g.Expect(everything.Unmet(end(b))).To(And(ContainSubstring("0 of 3 eligible nodes"), ContainSubstring("node-1 has an old pod (available)"),
		ContainSubstring("node-2 has an updated pod (not Ready)"), ContainSubstring("node-3 has no pod")))

	t.Run("a node that may keep its pod is not asked for an updated one", func(t *testing.T) {
		b.Node("node-1").Taint("closed", corev1.TaintEffectNoSchedule)
		NewWithT(t).Expect(everything.Unmet(end(b))).NotTo(ContainSubstring("node-1"))
	})
	t.Run("a node that may not keep its pod is", func(t *testing.T) {
		b.Node("node-1").Taint("shut", corev1.TaintEffectNoExecute)
		NewWithT(t).Expect(everything.Unmet(end(b))).To(ContainSubstring("1 nodes that must not run DaemonSet agent have a pod of it: node-1"))
	})
	old.Terminating().Gone()
	for _, node := range []string{"node-2", "node-3"} {
		ds.Pod("available-"+node, node).Ready()
	}
	g.Expect(everything.Unmet(end(b))).To(And(ContainSubstring("node-2 has"), ContainSubstring("an updated pod (not Ready)"), ContainSubstring("an updated pod (available)"), ContainSubstring("1 of 2 eligible nodes")))
	g.Expect(state.DaemonSetRolledOut("agent").Unmet(end(b))).To(Equal(everything.Unmet(end(b))))
	g.Expect(state.DaemonSetRolledOut("another").Unmet(end(b))).To(BeEmpty())
}

func TestStatefulSetsThatAreNotRecordedAreNotRolledOut(t *testing.T) {
	g := NewWithT(t)
	nothing := end(historytest.New(t).Nodes(1))
	g.Expect(state.StatefulSetsRolledOut().Unmet(nothing)).To(Equal("no StatefulSet is recorded"))
	g.Expect(state.StatefulSetsRolledOut("b", "a").Unmet(nothing)).To(Equal("StatefulSet a: it is not recorded; StatefulSet b: it is not recorded"))
}
