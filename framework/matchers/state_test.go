package matchers_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	ruling "github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

func onePodANode(ds *historytest.DaemonSet) state.Condition {
	return state.Right("each node has one pod", func(cluster *history.Cluster) error {
		for _, node := range cluster.NodesOf(ds.Object().UID) {
			if len(cluster.PodsOn(ds.Object().UID, node)) != 1 {
				return errors.New(node + " has not")
			}
		}
		return nil
	})
}

func TestHoldsAtEndIsAskedAtOnce(t *testing.T) {
	b, ds, second := rollout(t)
	m := HoldsAtEnd(onePodANode(ds))
	breaks(t, b.History(), m, "node-2 has not", "each node has one pod")
	second.Terminating().Gone()
	keeps(t, b.History(), m)
}

func TestComesToHoldIsBrokenOnlyOnceNothingMoves(t *testing.T) {
	b, ds, second := rollout(t)
	m := ComesToHold(onePodANode(ds))
	b.Stimulus(history.HoldTermination, second)
	isUntested(t, b.History(), m, "node-2 has not", "things still change")
	breaks(t, atRest(b), m, "node-2 has not", "in the end each node has one pod")
	second.Terminating().Gone()
	keeps(t, b.History(), m)
}

func TestHoldsAtMarkLetsLateNewsComeBeforeTheMark(t *testing.T) {
	marked := func(news func(*historytest.Builder, *historytest.Pod)) *history.History {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		pod := ds.Pod("a", "node-1").Ready()
		b.After(judge.Lag + judge.Prompt)
		news(b, pod)
		return b.Mark("placed").After(judge.Lag + judge.Prompt).Mark("later").History()
	}
	ready := state.When("every pod is Ready", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if !history.IsReady(pod) {
				return false
			}
		}
		return true
	})
	late := marked(func(b *historytest.Builder, pod *historytest.Pod) { pod.Unready() })
	keeps(t, late, HoldsAtMark("placed", ready))
	breaks(t, late, HoldsAtMark("later", ready))
	isUntested(t, marked(func(b *historytest.Builder, pod *historytest.Pod) { pod.Unready(); b.After(judge.Lag) }), HoldsAtMark("placed", ready), "things still changed")
	isUntested(t, marked(func(b *historytest.Builder, pod *historytest.Pod) {
		b.Stimulus(history.HoldTermination, pod)
		pod.Unready()
	}), HoldsAtMark("placed", ready))
}

func TestEndsRolledOut(t *testing.T) {
	b, _, second := rollout(t)
	b.Stimulus(history.HoldTermination, second)
	isUntested(t, b.History(), EndsRolledOut(), "1 of 2 eligible nodes")
	breaks(t, atRest(b), EndsRolledOut(), "node-2 has an old pod (available) and an updated pod (available)")
	second.Terminating().Gone()
	keeps(t, b.History(), EndsRolledOut())
}

func TestKeepsAsksForAStandingRule(t *testing.T) {
	m := Keeps("SURGE-010")
	keeps(t, served(t).History(), m)
	t.Run("broken in the rule's own words", func(t *testing.T) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent", historytest.MaxSurge("1"))
		ds.Pod("old", "node-1").Ready()
		ds.Update("v2").Pod("new", "node-1")
		ds.Pod("newer", "node-1")
		breaks(t, b.History(), m, ruling.SurgeOnePerRevision().Promise, "newer")
	})
	t.Run("untested where nothing puts it to the test", func(t *testing.T) {
		isUntested(t, historytest.New(t).Nodes(1).History(), m, "nothing puts SURGE-010 to the test")
	})
	t.Run("untested where its kind was not recorded", func(t *testing.T) {
		isUntested(t, served(t).Without(history.KindPod).History(), m, "Pod was not recorded")
	})
	t.Run("untested where there is no such rule", func(t *testing.T) {
		isUntested(t, served(t).History(), Keeps("API-001"), "no standing rule decides API-001")
	})
}

func TestKeepsEveryRuleAsksForThoseOfFeaturesThatAreClaimed(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent", historytest.MaxSurge("1"))
	ds.Pod("old", "node-1").Ready()
	ds.Update("v2").Pod("new", "node-1")
	ds.Pod("newer", "node-1")
	h := b.History()
	h.Features = []string{"Surge"}
	breaks(t, h, KeepsEveryRule(requirements.Surge), ruling.SurgeOnePerRevision().Promise, "newer")
	keeps(t, h, KeepsEveryRule(requirements.Eviction))
	h.Features = []string{"Eviction"}
	keeps(t, h, KeepsEveryRule(requirements.Surge))
	h = served(t).Without(history.KindPod).History()
	h.Features = []string{"Surge"}
	isUntested(t, h, KeepsEveryRule(requirements.Surge), "Pod was not recorded")
}

func TestPodAvailableBoundsAWait(t *testing.T) {
	b, _, second := rollout(t)
	b.After(2 * time.Second)
	second.Terminating()
	h := b.History()
	// The second updated pod became available by the clock alone, four seconds before its old one went.
	keeps(t, h, Before(PodAvailable(Named("new-b")), PodDeleted(Named("old-b"))))
	keeps(t, h, Within(5*time.Second, PodAvailable(Named("new-b")), PodDeleted(Named("old-b"))))
	breaks(t, h, Within(time.Second, PodAvailable(Named("new-b")), PodDeleted(Named("old-b"))), "new-b", "old-b")
}
