package history_test

import (
	"bytes"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// delayed is a history in which requests were outstanding from 3 s to 4 s, from 5 s to 8 s and from 20 s to 21 s.
func delayed() (h *history.History, at func(time.Duration) time.Time) {
	h = &history.History{Header: history.Header{Version: history.FormatVersion, Start: time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)}}
	for _, each := range [][2]time.Duration{{3, 4}, {5, 8}, {20, 21}} {
		from, until := each[0]*second, each[1]*second
		h.Delays = append(h.Delays, history.Standstill{From: from, Until: until, Outstanding: until - from})
	}
	return h, h.Start.Add
}

func TestWhatIsDueTakesAsMuchLongerAsRequestsWereOutstanding(t *testing.T) {
	for name, row := range map[string]struct{ since, takes, due time.Duration }{
		"before":                     {0, 3 * second, 3 * second},
		"as long as one":             {0, 4 * second, 5 * second},
		"in the middle of one":       {3500 * time.Millisecond, second, 5 * second},
		"one leads into the next":    {2 * second, 3 * second, 9 * second},
		"after":                      {8 * second, 12 * second, 20 * second},
		"from the middle of another": {7 * second, 3 * second, 11 * second},
	} {
		t.Run(name, func(t *testing.T) {
			h, at := delayed()
			NewWithT(t).Expect(h.Allowed(at(row.since), row.takes)).To(Equal(at(row.due)))
			NewWithT(t).Expect(h.Due(at(row.since), row.takes)).To(Equal(at(row.since+row.takes)), "they put nothing else off")
		})
	}
	t.Run("a standstill comes upon it", func(t *testing.T) {
		h, at := delayed()
		h.Standstills = []history.Standstill{{From: 9500 * time.Millisecond, Until: 12 * second}}
		NewWithT(t).Expect(h.Allowed(at(2*second), 4*second)).To(Equal(at(18500*time.Millisecond)), "it counts anew from 14.5 s")
	})
}

func TestWhatIsKnownIsAsMuchOlderAsRequestsWereOutstanding(t *testing.T) {
	for name, row := range map[string]struct{ at, known time.Duration }{
		"before":                              {2500 * time.Millisecond, 1500 * time.Millisecond},
		"within one":                          {6 * second, 4 * second},
		"at the end of one":                   {8 * second, 4 * second},
		"less after one than news takes":      {8500 * time.Millisecond, 4500 * time.Millisecond},
		"as long after one":                   {9 * second, 8 * second},
		"after one that is close to another":  {5 * second, 4 * second},
		"less after the first, into the rest": {4500 * time.Millisecond, 2500 * time.Millisecond},
		"long after":                          {15 * second, 14 * second},
		"one comes later":                     {19 * second, 18 * second},
	} {
		t.Run(name, func(t *testing.T) {
			h, at := delayed()
			NewWithT(t).Expect(h.Known(at(row.at))).To(Equal(at(row.known)))
		})
	}
	t.Run("never less by later", func(t *testing.T) {
		h, at := delayed()
		for d, last := time.Duration(0), at(-second); d < 25*second; d += 50 * time.Millisecond {
			known := h.Known(at(d))
			NewWithT(t).Expect(known).NotTo(BeTemporally("<", last))
			NewWithT(t).Expect(known).NotTo(BeTemporally(">", at(d-second)))
			last = known
		}
	})
}

func TestDelaysHinderAndAreNoStandstill(t *testing.T) {
	g := NewWithT(t)
	h, at := delayed()
	g.Expect(h.Hindering(at(8*second), at(20*second))).To(BeNil())
	g.Expect(h.Hindering(at(3500*time.Millisecond), at(7*second))).To(HaveValue(Equal(
		history.Standstill{From: 3500 * time.Millisecond, Until: 7 * second, Outstanding: 2500 * time.Millisecond})))
	g.Expect(h.Waiting(at(0), at(4*second)).String()).To(Equal(
		"the API server took more than 0.2 s over requests of the implementation, or more than 1.0 s to tell of changes, 1.0 s longer in all, between 3.0 s and 4.0 s into the recording"))
	g.Expect(h.Interrupting(at(0), at(30*second))).To(BeNil())
	g.Expect(h.Overshadowing(at(6 * second))).To(BeNil())
	g.Expect(h.AllStandstills()).To(Equal([]history.Standstill{{From: 3 * second, Until: 21 * second, Outstanding: 5 * second}}))
	h.Standstills = []history.Standstill{{From: 2 * second, Until: 4 * second}}
	g.Expect(h.Hindering(at(0), at(30*second))).To(HaveValue(Equal(h.Standstills[0])))
}

func TestDelaysAreReadBack(t *testing.T) {
	g := NewWithT(t)
	h, _ := delayed()
	h.Authors = history.AuthorsFromAuditLog
	var text bytes.Buffer
	g.Expect(h.Write(&text)).To(Succeed())
	read, err := history.Read(&text)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Delays).To(Equal(h.Delays))
}
