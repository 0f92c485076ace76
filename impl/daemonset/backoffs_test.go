package daemonset

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestARefusalWhoseWordsChangeWithEveryAttemptIsRewordedNowAndThen(t *testing.T) {
	g := NewWithT(t)
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	first := again(plan.Refusal{}, "denied agent-a", start)
	g.Expect(first).To(Equal(plan.Refusal{Since: start, Words: "denied agent-a", Said: start}))
	soon := again(first, "denied agent-b", start.Add(rewording-time.Millisecond))
	g.Expect(soon).To(Equal(first), "a status that repeats the words does not change")
	late := start.Add(rewording)
	g.Expect(again(soon, "denied agent-c", late)).To(Equal(plan.Refusal{Since: start, Words: "denied agent-c", Said: late}), "another cause comes to be known")
}
