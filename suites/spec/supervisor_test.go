package spec

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestASpecsOutcomesAreSummedUp(t *testing.T) {
	undecided := func(cause string) reports.Outcome {
		return reports.Outcome{Verdict: reports.Inconclusive, Cause: cause}
	}
	passed, failed, elsewhere := reports.Outcome{Verdict: reports.Pass}, reports.Outcome{Verdict: reports.Fail}, reports.Outcome{Verdict: reports.Unsupported}
	for name, row := range map[string]struct {
		outcomes []reports.Outcome
		want     Ended
	}{
		"nothing":             {nil, Ended{}},
		"not claimed":         {[]reports.Outcome{elsewhere}, Ended{}},
		"passed":              {[]reports.Outcome{passed, elsewhere}, Ended{Decided: true}},
		"failed":              {[]reports.Outcome{failed, undecided("a")}, Ended{Decided: true, Undecided: true, Cause: "a"}},
		"undecided":           {[]reports.Outcome{undecided("a"), undecided("a")}, Ended{Undecided: true, Cause: "a"}},
		"for several reasons": {[]reports.Outcome{undecided("a"), undecided("b"), undecided("a")}, Ended{Undecided: true}},
		"for none in common":  {[]reports.Outcome{undecided(""), undecided("b")}, Ended{Undecided: true}},
	} {
		t.Run(name, func(t *testing.T) {
			row.want.Spec = "a spec"
			NewWithT(t).Expect(endedOf("a spec", row.outcomes)).To(Equal(row.want))
		})
	}
}

func TestTheRunIsAskedByItsAddress(t *testing.T) {
	g := NewWithT(t)
	from := LogEnd{Position: 7, Time: time.Date(2026, 1, 1, 12, 0, 0, 5, time.UTC)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		asked, text, err := ReadHealthQuery(request.URL.Query())
		if request.URL.Path != HealthPath || err != nil || asked != from || text != "a-namespace" {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		_, _ = w.Write([]byte(`{"ended":"exit status 2"}`))
	}))
	defer server.Close()
	s := supervisor(server.URL)
	g.Expect(s.health(t.Context(), from, "a-namespace")).To(Equal(history.Health{Ended: "exit status 2"}))
	_, err := s.logEnd(t.Context())
	g.Expect(err).To(MatchError("ask the run for /log-end: 418 I'm a teapot: no"))
	g.Expect(s.ended(t.Context(), Ended{})).NotTo(Succeed())

	none := supervisor("")
	g.Expect(none.logEnd(t.Context())).To(BeZero())
	g.Expect(none.health(t.Context(), from, "")).To(BeZero())
	g.Expect(none.ended(t.Context(), Ended{})).To(Succeed())
}

func TestASpecEndsWithTheRun(t *testing.T) {
	g := NewWithT(t)
	s := &stop{wished: make(chan struct{})}
	ctx, done := s.until(t.Context())
	defer done()
	g.Expect(s.why()).To(BeEmpty())
	g.Expect(ctx.Err()).NotTo(HaveOccurred())
	s.reason = "nothing can come of it"
	close(s.wished)
	g.Eventually(ctx.Done()).Should(BeClosed())
	g.Expect(s.why()).To(Equal("nothing can come of it"))
}
