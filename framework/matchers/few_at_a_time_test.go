package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestRefusedCreationsAreCountedByBurst(t *testing.T) {
	refused := func(resource string, burst int) history.Refusal {
		return history.Refusal{Verb: "create", Resource: resource, Count: 99, Burst: burst}
	}
	for name, tt := range map[string]struct {
		source   history.Authors
		refusals []history.Refusal
		kept     bool
		says     string
	}{
		"few":          {history.AuthorsFromAuditLog, []history.Refusal{refused("pods", 3)}, true, ""},
		"many":         {history.AuthorsFromAuditLog, []history.Refusal{refused("pods", 3), refused("pods", 4)}, false, "4 refused creations within 100ms, of 99 in all"},
		"others":       {history.AuthorsFromAuditLog, []history.Refusal{refused("controllerrevisions", 9)}, false, "no creation of a pod was refused"},
		"none":         {history.AuthorsFromAuditLog, nil, false, "no creation of a pod was refused"},
		"no audit log": {history.AuthorsInferred, nil, false, "no audit log"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			h := &history.History{CaughtUp: true, Authors: tt.source, Refusals: tt.refusals}
			matcher := TriesFewPods(3)
			kept, err := matcher.Match(h)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(kept).To(Equal(tt.kept))
			if !kept {
				g.Expect(matcher.FailureMessage(h)).To(ContainSubstring(tt.says))
			}
		})
	}
}
