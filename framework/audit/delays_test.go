package audit_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestRequestsOfTheImplementationThatTakeLongAreDelays(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	h := &history.History{Header: history.Header{Start: noon, Namespaces: []string{"s"}}}
	users := audit.Users{Implementation: []string{"me"}, Harness: []string{"admin"}}
	request := func(from, until time.Duration, changes ...func(*audit.Record)) audit.Record {
		record := audit.Record{User: "me", Verb: "create", Resource: "pods", Namespace: "s", Code: 201, Received: noon.Add(from), Answered: noon.Add(until)}
		for _, change := range changes {
			change(&record)
		}
		return record
	}
	const ms = time.Millisecond
	got := audit.Delays(h, []audit.Record{
		request(9000*ms, 9900*ms),
		request(1000*ms, 1900*ms), request(1500*ms, 2500*ms), request(1100*ms, 1400*ms),
		request(4000*ms, 4200*ms),
		request(-3000*ms, 300*ms),
		// A request that is refused was waited for, too, and one about a node may be the scenario's.
		request(20000*ms, 21000*ms, func(r *audit.Record) { r.Code = 500 }), request(30000*ms, 31000*ms, func(r *audit.Record) { r.Namespace, r.Resource = "", "nodes" }),
		// Not its own, and not here.
		request(5000*ms, 8000*ms, func(r *audit.Record) { r.User = "admin" }), request(5000*ms, 8000*ms, func(r *audit.Record) { r.Namespace = "elsewhere" }),
	}, users, nil)
	var want []history.Standstill
	for _, each := range [][2]time.Duration{{0, 300}, {1200, 2500}, {9200, 9900}, {20200, 21000}, {30200, 31000}} {
		from, until := each[0]*ms, each[1]*ms
		want = append(want, history.Standstill{From: from, Until: until, Outstanding: until - from})
	}
	NewWithT(t).Expect(got).To(Equal(want))
}

func TestEventsThatAreToldLateAreDelays(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	h := kept(noon.Add(5 * time.Second))
	h.Start = noon
	told := func(after time.Duration) []history.Standstill {
		author := history.Author{User: "me", Answered: noon.Add(5*time.Second - after)}
		return audit.Delays(h, nil, audit.Users{}, []history.Authorship{{ResourceVersion: 12, UID: "u", Author: author}})
	}
	g := NewWithT(t)
	g.Expect(told(2600 * time.Millisecond)).To(Equal([]history.Standstill{
		{From: 3400 * time.Millisecond, Until: 5 * time.Second, Outstanding: 1600 * time.Millisecond},
	}))
	g.Expect(told(history.OrdinaryNews)).To(BeEmpty())
	g.Expect(audit.Delays(h, nil, audit.Users{}, []history.Authorship{{ResourceVersion: 12, UID: "u"}})).To(BeEmpty(), "nobody knows when it was answered")
}
