package matchers_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// TestAsSoonAs has a pod replaced a second after it went, and another as each case says.
func TestAsSoonAs(t *testing.T) {
	for name, tt := range map[string]struct {
		after    time.Duration
		replaced bool
		kept     bool
	}{
		"as soon":       {time.Second, true, true},
		"a bit later":   {3 * time.Second, true, true},
		"much later":    {5 * time.Second, true, false},
		"sooner":        {0, true, true},
		"never, so far": {9 * time.Second, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t).Nodes(2)
			ds := b.DaemonSet("agent")
			first, second := ds.Pod("a", "node-1").Ready(), ds.Pod("b", "node-2").Ready()
			b.After(time.Minute)
			first.Gone()
			b.After(time.Second)
			ds.Pod("c", "node-1")
			second.Gone()
			b.After(tt.after)
			if tt.replaced {
				ds.Pod("d", "node-2")
			}
			on := func(node string) Reaction { return Reaction{From: PodGone().On(node), To: PodCreated().On(node)} }
			matcher := AsSoonAs(3*time.Second, on("node-1"), on("node-2"))
			if tt.kept {
				NewWithT(t).Expect(b.History()).To(matcher)
			} else {
				NewWithT(t).Expect(b.History()).NotTo(matcher)
			}
		})
	}
}
