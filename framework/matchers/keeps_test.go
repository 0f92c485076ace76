package matchers_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	standing "github.com/rollcall-conformance/rollcall/framework/rules/rollout"
)

func TestKeepsAsksForAStandingPromise(t *testing.T) {
	m := Keeps(standing.SurgeOnePerRevision())
	b := served(t)
	holds(t, b.History(), m)
	t.Run("fails where it is broken, with the judge's own words", func(t *testing.T) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent", historytest.MaxSurge("1"))
		ds.Pod("old", "node-1").Ready()
		ds.Update("v2").Pod("new", "node-1")
		ds.Pod("newer", "node-1")
		fails(t, b.History(), m, standing.SurgeOnePerRevision().Promise, "newer")
	})
	t.Run("fails where nothing puts it to the test", func(t *testing.T) {
		fails(t, historytest.New(t).Nodes(1).History(), m, "puts it to the test")
	})
	t.Run("fails where its kind was not recorded", func(t *testing.T) {
		b := served(t).Without("Pod")
		fails(t, b.History(), m, "Pod was not recorded")
	})
}
