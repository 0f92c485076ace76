package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestPodsThatWereRefusedAreCreatedLast(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 4)
	ago := func(d time.Duration) time.Time { return w.now.Add(-d) }
	w.Refused = &plan.Refusal{Since: ago(time.Minute), Words: "is forbidden", Nodes: map[string]time.Time{"n0": ago(time.Second), "n2": ago(2 * time.Second)}}
	var nodes []string
	for _, creation := range w.pass().CreatePods {
		nodes = append(nodes, creation.Node)
	}
	g.Expect(nodes).To(Equal([]string{"n1", "n3", "n2", "n0"}), "RECOVERY-006: creating stops where one is refused")
}
