package spec

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestARecordingIsAsLongAsItsChecksNeedIt(t *testing.T) {
	const moved = 3 * Prompt
	// The last to happen is that a pod becomes Ready.
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	b.After(moved)
	ds.Pod("agent-1", "node-1").Ready()
	last := b.History().Entries
	became := last[len(last)-1].Time
	h := b.After(time.Second).Mark("the end of the scenario").History()
	marked := h.Entries[len(h.Entries)-1].Time

	deleted, ready := matchers.PodDeleted(), matchers.PodReady()
	for _, of := range []struct {
		says  string
		check func(*Checks)
		due   time.Time
	}{
		{"nothing is missing", func(c *Checks) { c.Decide("ROLLING-005", matchers.AtLeast(1, ready)) }, time.Time{}},
		{"something is that may come at once", func(c *Checks) { c.Decide("ROLLING-005", matchers.AtLeast(1, deleted)) }, became.Add(AtOnce)},
		{"or on every node", func(c *Checks) { c.Decide("ROLLING-005", matchers.OnEveryNode(matchers.AtLeast(1, deleted))) }, became.Add(AtOnce)},
		{"or one of two things", func(c *Checks) {
			c.Decide("ROLLING-005", matchers.OneOf(matchers.AtLeast(1, deleted), matchers.AtLeast(2, ready)))
		}, became.Add(AtOnce)},
		{"one of which came", func(c *Checks) {
			c.Decide("ROLLING-005", matchers.OneOf(matchers.AtLeast(1, deleted), matchers.AtLeast(1, ready)))
		}, time.Time{}},
		{"what it builds on is missing", func(c *Checks) { c.Given(matchers.Tested(matchers.AtLeast(1, deleted))) }, became.Add(AtOnce)},
		{"it may take longer", func(c *Checks) {
			c.Decide("ROLLING-005", matchers.Within(time.Minute, matchers.Marked("the end of the scenario"), deleted))
		}, marked.Add(time.Minute)},
		{"it is broken already", func(c *Checks) { c.Decide("ROLLING-005", matchers.Never(ready)) }, time.Time{}},
		{"no time helps", func(c *Checks) { c.Decide("ROLLING-005", matchers.Before(deleted, ready)) }, time.Time{}},
		{"the spec is wrong", func(c *Checks) { c.Given(matchers.AtLeast(1, deleted.On(c.Bound("nothing")))) }, time.Time{}},
	} {
		t.Run(of.says, func(t *testing.T) {
			g := NewWithT(t)
			s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005"), Check: of.check}
			g.Expect(s.due(h)).To(BeTemporally("==", of.due))
		})
	}

	// By then it is decided.
	s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005"), Check: func(c *Checks) { c.Decide("ROLLING-005", matchers.AtLeast(1, deleted)) }}
	NewWithT(t).Expect(s.due(b.After(AtOnce).End(history.Ending{}).History())).To(BeZero())
}
