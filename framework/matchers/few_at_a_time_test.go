package matchers_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestRefusedCreationsAreCountedByBurst(t *testing.T) {
	refused := func(verb, resource string, burst int) history.Refusal {
		return history.Refusal{Verb: verb, Resource: resource, Count: 99, Burst: burst}
	}
	for name, tt := range map[string]struct {
		source   history.Authors
		refusals []history.Refusal
		kept     bool
		says     string
	}{
		"few":          {history.AuthorsFromAuditLog, []history.Refusal{refused("create", "pods", 3)}, true, ""},
		"many":         {history.AuthorsFromAuditLog, []history.Refusal{refused("create", "pods", 3), refused("create", "pods", 4)}, false, "4 refused creations within 100ms, of 99 in all"},
		"few applied":  {history.AuthorsFromAuditLog, []history.Refusal{refused("patch", "pods", 3)}, true, ""},
		"many applied": {history.AuthorsFromAuditLog, []history.Refusal{refused("patch", "pods", 4)}, false, "4 refused creations"},
		"others":       {history.AuthorsFromAuditLog, []history.Refusal{refused("create", "controllerrevisions", 9), refused("delete", "pods", 9)}, false, "no creation of a pod was refused"},
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

func TestRefusedCreationsAreCountedInAll(t *testing.T) {
	g := NewWithT(t)
	refused := func(first, last time.Duration, count int, words string) history.Refusal {
		return history.Refusal{Verb: "create", Resource: "pods", First: first, Last: last, Count: count, Message: words}
	}
	h := &history.History{CaughtUp: true, Authors: history.AuthorsFromAuditLog, Refusals: []history.Refusal{
		refused(time.Second, 2*time.Second, 3, "no"), refused(3*time.Second, 4*time.Second, 2, "never"),
		{Verb: "create", Resource: "pods", Subresource: "eviction", Count: 9},
	}}
	g.Expect(h).To(TriesSeldom(5))
	matcher := TriesSeldom(4)
	kept, err := matcher.Match(h)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(kept).To(BeFalse())
	g.Expect(matcher.FailureMessage(h)).To(ContainSubstring("5 refused creations within 3s: no"))
}

func TestRefusedPatchesAreCountedByTheSecond(t *testing.T) {
	g := NewWithT(t)
	patched := func(verb string, count int) history.Refusal {
		return history.Refusal{Verb: verb, Resource: "pods", First: time.Second, Last: 3 * time.Second, Count: count, Message: "no"}
	}
	h := &history.History{CaughtUp: true, Authors: history.AuthorsFromAuditLog, Refusals: []history.Refusal{
		patched("patch", 20), patched("update", 10), {Verb: "create", Resource: "pods", Count: 99}, {Verb: "patch", Resource: "pods", Subresource: "status", Count: 99},
	}}
	g.Expect(h).To(PatchesSeldom(10))
	for words, h := range map[string]*history.History{
		"30 refused patches within 2s: no": h,
		"no patch of a pod was refused":    {CaughtUp: true, Authors: history.AuthorsFromAuditLog, Refusals: h.Refusals[2:]},
		"no audit log":                     {CaughtUp: true, Refusals: h.Refusals},
	} {
		matcher := PatchesSeldom(9)
		kept, err := matcher.Match(h)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(kept).To(BeFalse())
		g.Expect(matcher.FailureMessage(h)).To(ContainSubstring(words))
	}
}

func TestRefusedDeletionsAreCountedInAll(t *testing.T) {
	g := NewWithT(t)
	h := &history.History{CaughtUp: true, Authors: history.AuthorsFromAuditLog, Refusals: []history.Refusal{
		{Verb: "delete", Resource: "pods", First: time.Second, Last: 3 * time.Second, Count: 5, Message: "no"},
		{Verb: "delete", Resource: "controllerrevisions", Count: 99}, {Verb: "create", Resource: "pods", Count: 99},
	}}
	g.Expect(h).To(DeletionsSeldom(5))
	for words, h := range map[string]*history.History{
		"5 refused deletions within 2s: no": h,
		"no deletion of a pod was refused":  {CaughtUp: true, Authors: history.AuthorsFromAuditLog, Refusals: h.Refusals[1:]},
	} {
		matcher := DeletionsSeldom(4)
		kept, err := matcher.Match(h)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(kept).To(BeFalse())
		g.Expect(matcher.FailureMessage(h)).To(ContainSubstring(words))
	}
}
