package scenario

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// held says, after each event of a recording, whether the condition held.
func held(b *historytest.Builder, condition Condition) []bool {
	var held []bool
	b.History().Replay(func(cluster *history.Cluster, _ history.Change) { held = append(held, condition.Holds(cluster)) })
	return held
}

func TestARolloutThatComesForwardIsWaitedForHoweverLongItTakes(t *testing.T) {
	b := historytest.New(t).Nodes(3)
	ds := b.DaemonSet("agent")
	pod := ds.Pod("a", "node-1")
	for range 3 {
		b.After(8 * time.Second)
		pod.Ready()
		b.After(time.Second)
		pod = ds.Pod("next", "node-2")
	}
	NewWithT(t).Expect(held(b, stalled(10*time.Second))).NotTo(ContainElement(true))
}

func TestOneThatOnlyKeepsChangingIsNot(t *testing.T) {
	g := NewWithT(t)
	b := historytest.New(t).Nodes(1)
	pod := b.DaemonSet("agent").Pod("a", "node-1").Ready()
	b.After(4 * time.Second)
	pod.Unready()
	for range 3 {
		b.After(4 * time.Second)
		pod.Edit(func(pod *corev1.Pod) { pod.Status.Message += "." })
	}
	seen := held(b, stalled(10*time.Second))
	g.Expect(seen[len(seen)-1]).To(BeTrue(), "a pod that is Ready no more, and changes of status, are no progress")
	g.Expect(seen[len(seen)-3]).To(BeFalse())
}

func TestUpdatedPodsAreFoundByTheirTraits(t *testing.T) {
	g := NewWithT(t)
	b := historytest.New(t).Nodes(3)
	ds := b.DaemonSet("agent")
	ds.Pod("old", "node-1").Ready()
	ds.Update("v2")
	ds.Pod("ready", "node-2").Ready()
	ds.Pod("terminating", "node-3").Ready().Terminating()
	ds.Pod("unready", "node-3").Unready()
	var last *history.Cluster
	b.History().Replay(func(cluster *history.Cluster, _ history.Change) { last = cluster })
	now := ds.Object()
	g.Expect(UpdatedOn(2, now).Holds(last)).To(BeTrue(), "old ones and terminating ones do not count")
	g.Expect(UpdatedOn(3, now).Holds(last)).To(BeFalse())
	g.Expect(UpdatedOn(1, now, history.IsReady, NotOnNode("node-2")).Holds(last)).To(BeFalse())
	var found *corev1.Pod
	g.Expect(findUpdated(&found, now, []Trait{NotReady, OnNode("node-3")}).Holds(last)).To(BeTrue())
	g.Expect(found.Name).To(Equal("unready"))
}

// ended is a TB that says how a scenario was ended.
type ended struct{}

func (ended) Helper()               {}
func (ended) Fatalf(string, ...any) { panic("failed") }
func (ended) Skipf(string, ...any)  { panic("skipped") }

func TestAScenarioThatSurgesIsNotForWhoDoesNotClaimIt(t *testing.T) {
	g := NewWithT(t)
	for _, row := range []struct {
		noSurge bool
		edit    Edit
		skipped bool
	}{{true, MaxSurge("1"), true}, {true, MaxSurge("25%"), true}, {true, MaxUnavailable("1"), false}, {true, OnDelete(), false}, {false, MaxSurge("1"), false}} {
		s := &Scenario{tb: ended{}, namespace: "n", env: Environment{NoSurge: row.noSurge}}
		try := func() { s.mustBeClaimed(s.NewDaemonSet("daemon", row.edit)) }
		if row.skipped {
			g.Expect(try).To(PanicWith("skipped"), row.edit.Says)
		} else {
			g.Expect(try).NotTo(Panic(), row.edit.Says)
		}
	}
}
