package scenario

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// oneAuthor knows who made the last event of a recording that began at position 7.
type oneAuthor struct {
	author history.Author
	err    error
}

func (oneAuthor) Begin(context.Context) (int64, error) { return 7, nil }

func (a oneAuthor) Of(_ context.Context, h *history.History, position int64) (history.Attribution, error) {
	if position != 7 {
		return history.Attribution{}, errors.New("the recording began elsewhere")
	}
	last := h.Entries[len(h.Entries)-1]
	return history.Attribution{Authors: []history.Authorship{{ResourceVersion: last.ResourceVersion, UID: last.Object.GetUID(), Author: a.author}}}, a.err
}

// closed is a scenario whose recording is closed, and that recording.
func closed(t *testing.T, authors Authors) (*Scenario, *history.History) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	file, err := os.Create(path)
	g.Expect(err).NotTo(HaveOccurred())
	written := historytest.New(t).Nodes(2).History()
	written.Version = history.Unchained // which has no seal that nothing may follow
	g.Expect(written.Write(file)).To(Succeed())
	g.Expect(file.Close()).To(Succeed())
	h, err := history.Open(path)
	g.Expect(err).NotTo(HaveOccurred())
	return &Scenario{path: path, env: Environment{Authors: authors}, authorsFrom: 7}, h
}

func TestTheAuthorsFoundAreInTheHistoryAndInTheRecordingAlike(t *testing.T) {
	g := NewWithT(t)
	somebody := history.Author{Who: history.Harness, User: "admin", Verb: "create", Code: 201}
	s, h := closed(t, oneAuthor{author: somebody})
	g.Expect(s.attribute(t.Context(), h)).To(Succeed())
	again, err := history.Open(s.path)
	g.Expect(err).NotTo(HaveOccurred())
	for name, h := range map[string]*history.History{"judged": h, "read again": again} {
		g.Expect(h.Authors).To(Equal(history.AuthorsFromAuditLog), name)
		g.Expect(h.Entries[0].Author).To(BeNil(), name)
		g.Expect(h.Entries[1].Author).To(HaveValue(Equal(somebody)), name)
		g.Expect(h.CaughtUp).To(BeTrue(), name)
	}
}

func TestWithoutAuthorsTheRecordingIsLeftAsItIs(t *testing.T) {
	for name, authors := range map[string]Authors{"none are looked for": nil, "they cannot be found": oneAuthor{err: errors.New("no log")}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s, h := closed(t, authors)
			before, err := os.ReadFile(s.path)
			g.Expect(err).NotTo(HaveOccurred())
			err = s.attribute(t.Context(), h)
			g.Expect(err != nil).To(Equal(authors != nil))
			g.Expect(h.Authors).To(BeEmpty())
			g.Expect(os.ReadFile(s.path)).To(Equal(before))
		})
	}
}
