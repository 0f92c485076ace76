package matchers_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

const long = 20 * time.Second

// rollout is a surge rollout of two nodes, minReadySeconds 5, one after the other; the second old pod lasts until the caller ends it.
func rollout(t *testing.T) (*historytest.Builder, *historytest.DaemonSet, *historytest.Pod) {
	b := historytest.New(t).Nodes(2)
	ds := b.DaemonSet("agent", historytest.MaxSurge("1"), historytest.MinReadySeconds(5))
	first, second := ds.Pod("old-a", "node-1").Ready(), ds.Pod("old-b", "node-2").Ready()
	b.After(long)
	ds.Observed()
	ds.Update("v2")
	ds.Pod("new-a", "node-1").Ready()
	b.After(7 * time.Second)
	first.Terminating().Gone()
	ds.Pod("new-b", "node-2").Ready()
	b.After(7 * time.Second)
	ds.Counts(2, 2, 2, 2, 2)
	return b, ds, second
}

// holds asserts that the history matches, for Gomega and on its own.
func holds(t *testing.T, h *history.History, m Matcher) {
	t.Helper()
	matched, err := m.Match(h)
	if err != nil || !matched || len(m.Check(h)) > 0 {
		t.Errorf("does not match (%v):\n%s", err, m.FailureMessage(h))
	}
	if m.NegatedFailureMessage(h) == "" {
		t.Error("nothing to say when it matches and should not")
	}
}

// fails asserts that the history does not match, and that the failure text says each of the words.
func fails(t *testing.T, h *history.History, m Matcher, words ...string) {
	t.Helper()
	matched, err := m.Match(h)
	violations := Violations("SURGE-001", h, m)
	if err != nil || matched || len(violations) == 0 {
		t.Fatalf("matches (error %v)", err)
	}
	text := m.FailureMessage(h)
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("failure text lacks %q:\n%s", word, text)
		}
	}
	for _, violation := range violations {
		if violation.Requirement != "SURGE-001" || violation.Promise == "" || violation.Got == "" {
			t.Errorf("violation lacks something: %+v", violation)
		}
		if len(violation.Window) > 12 {
			t.Errorf("window of %d entries", len(violation.Window))
		}
	}
}

func TestBefore(t *testing.T) {
	b, _, second := rollout(t)
	second.Terminating()
	h := b.History()
	holds(t, h, Before(PodCreated(OfVersion("v2")), PodDeleted(Old())))
	holds(t, h, Before(TemplateChanged(), PodCreated(OfVersion("v2"))))
	fails(t, h, Before(PodDeleted(Old()), PodCreated(OfVersion("v2"))), "v2 pod created", "old pod deleted", "new-a", "old-a")
	fails(t, h, Before(PodUnready(), PodCreated(Updated())), "never")
	fails(t, h, Before(PodCreated(Updated()), PodUnready()), "became unready")
	fails(t, h, Before(PodUnready(), PodFailed()), "became unready")
}

func TestAvailableBeforeDeletedOnEveryNode(t *testing.T) {
	m := OnEveryNode(Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1"))))
	t.Run("holds where each old pod goes after its node's updated one is available", func(t *testing.T) {
		b, _, second := rollout(t)
		second.Terminating()
		holds(t, b.History(), m)
	})
	t.Run("fails, naming it, for the one node that is behind", func(t *testing.T) {
		b, _, _ := rollout(t)
		fails(t, b.History(), m, "node-2")
		if violations := m.Check(b.History()); len(violations) != 1 || violations[0].Node != "node-2" {
			t.Errorf("violations %v, want one on node-2", violations)
		}
	})
	t.Run("fails where the updated pod had not been ready for long enough", func(t *testing.T) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent", historytest.MinReadySeconds(5))
		old := ds.Pod("old-a", "node-1").Ready()
		b.After(long)
		ds.Observed()
		ds.Update("v2").Pod("new-a", "node-1").Ready()
		b.After(3 * time.Second)
		old.Terminating()
		b.After(long)
		ds.Counts(1, 1, 1, 1, 1)
		fails(t, b.History(), m, "node-1")
	})
	t.Run("fails for a node that the DaemonSet wants and that nothing happened on", func(t *testing.T) {
		b, _, second := rollout(t)
		second.Terminating()
		b.Node("node-3").Join()
		fails(t, b.History(), m, "node-3")
	})
	t.Run("does not ask it of a node that is not wanted", func(t *testing.T) {
		b, _, second := rollout(t)
		second.Terminating()
		b.Node("node-3").Join().Taint("dedicated", corev1.TaintEffectNoSchedule)
		holds(t, b.History(), m)
	})
	t.Run("fails where there is no node at all", func(t *testing.T) {
		fails(t, historytest.New(t).History(), m, "no node")
	})
}

func TestNeverBetween(t *testing.T) {
	b, ds, second := rollout(t)
	fails(t, b.History(), NeverBetween(TemplateChanged(), PodUnready(), PodDeleted()), "became unready")
	second.Unready()
	h := b.History()
	holds(t, h, NeverBetween(TemplateChanged(), PodAvailable(OfVersion("v2")), PodDeleted(Old())))
	holds(t, h, NeverBetween(TemplateChanged(), PodUnready(), PodFailed()))
	fails(t, h, NeverBetween(TemplateChanged(), PodUnready(), PodDeleted(Old())), "old-a")
	fails(t, h, NeverBetween(PodFailed(), PodUnready(), PodDeleted(Old())), "failed")
	// What comes before the first bound or after the second is nobody's business.
	second.Terminating()
	ds.Observed()
	holds(t, b.History(), NeverBetween(PodCreated(Named("new-b")), PodUnready(), PodDeleted(Old())))
}

func TestWithin(t *testing.T) {
	b, _, second := rollout(t)
	h := b.History()
	holds(t, h, Within(time.Second, TemplateChanged(), PodCreated(Updated())))
	holds(t, h, Within(6*time.Second, First(PodReady(OfVersion("v2"))), PodAvailable(Updated())))
	fails(t, h, Within(3*time.Second, First(PodReady(OfVersion("v2"))), PodAvailable(Updated())), "within 3s")
	fails(t, h, Within(time.Second, PodAvailable(Updated()), PodDeleted(Old())))
	fails(t, h, Within(time.Second, PodFailed(), PodDeleted()), "failed")
	fails(t, h, Within(time.Hour, PodDeleted(), PodFailed()), "failed")

	b.After(time.Minute)
	second.Terminating()
	fails(t, b.History(), Within(time.Minute, Last(PodAvailable(Updated())), PodDeleted(Old())), "within 1m0s")
	holds(t, b.History(), Within(2*time.Minute, Last(PodAvailable(Updated())), PodDeleted(Old())))
}

func TestNotWithin(t *testing.T) {
	b, _, _ := rollout(t)
	h := b.History()
	holds(t, h, NotWithin(3*time.Second, First(PodReady(OfVersion("v2"))), PodDeleted(Old())))
	fails(t, h, NotWithin(10*time.Second, First(PodReady(OfVersion("v2"))), PodDeleted(Old())), "old-a")
	fails(t, h, NotWithin(time.Second, PodFailed(), PodDeleted()), "failed")
}

func TestCounts(t *testing.T) {
	b, ds, second := rollout(t)
	second.Terminating()
	h := b.History()
	created := After(PodCreated(), TemplateChanged())
	holds(t, h, Exactly(2, created))
	holds(t, h, All(Exactly(2, created), Exactly(2, PodDeleted(Old())), Never(PodFailed())))
	holds(t, h, AtLeast(2, created))
	holds(t, h, AtMost(2, created))
	holds(t, h, OnEveryNode(Exactly(1, created)))
	fails(t, h, Exactly(3, created), "2")
	fails(t, h, Exactly(1, created), "2", "new-a", "new-b")
	fails(t, h, AtLeast(3, created), "2")
	fails(t, h, AtMost(1, created), "2")
	fails(t, h, Never(created), "new-a")
	fails(t, h, Exactly(1, PodFailed()), "no")
	fails(t, h, AtLeast(1, PodFailed()), "no")
	fails(t, h, All(Exactly(2, created), Never(PodDeleted())), "old-a")
	ds.Pod("churn", "node-2")
	fails(t, b.History(), OnEveryNode(Exactly(1, created)), "node-2", "churn")
}

func TestHoldsAtEnd(t *testing.T) {
	b, ds, second := rollout(t)
	onePodANode := HoldsAtEnd("each node has one pod", func(cluster *history.Cluster) error {
		for _, node := range cluster.NodesOf(ds.Object().UID) {
			if len(cluster.PodsOn(ds.Object().UID, node)) != 1 {
				return errors.New(node + " has not")
			}
		}
		return nil
	})
	fails(t, b.History(), onePodANode, "node-2 has not", "each node has one pod")
	second.Terminating().Gone()
	holds(t, b.History(), onePodANode)
}

func TestAMatcherRefusesWhatIsNoHistory(t *testing.T) {
	for _, m := range []Matcher{
		Before(PodCreated(), PodDeleted()), Never(PodFailed()), OnEveryNode(Never(PodFailed())), All(Never(PodFailed())),
	} {
		if _, err := m.Match("a history"); err == nil || !strings.Contains(err.Error(), "string") {
			t.Errorf("error %v, want one that says what it got", err)
		}
	}
}
