package audit_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// A line as kube-apiserver 1.37.0 writes it, shortened.
const denied = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","stage":"ResponseComplete","requestURI":"/apis/apps/v1/namespaces/s/controllerrevisions","verb":"create","user":{"username":"me"},"objectRef":{"resource":"controllerrevisions","namespace":"s","name":"a-1","apiGroup":"apps","apiVersion":"v1"},"responseStatus":{"metadata":{},"status":"Failure","message":"controllerrevisions.apps \"a-1\" is forbidden: why a-1","reason":"Forbidden","code":403},"requestReceivedTimestamp":"2026-01-01T12:00:01.000000Z","stageTimestamp":"2026-01-01T12:00:02.000000Z"}`

func TestWhatTheImplementationWasRefusedIsCountedByWhatWasSaid(t *testing.T) {
	g := NewWithT(t)
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	h := &history.History{Header: history.Header{Start: noon, Namespaces: []string{"s"}}}
	users := audit.Users{Implementation: []string{"me"}, Harness: []string{"admin"}}
	first := recordsIn(t, denied)
	g.Expect(first).To(HaveLen(1))

	changed := func(change func(*audit.Record)) audit.Record {
		record := first[0]
		change(&record)
		return record
	}
	records := []audit.Record{
		// Another object, later, and in another order.
		changed(func(r *audit.Record) {
			r.Answered, r.Name, r.Message = noon.Add(9*time.Second), "a-2", `controllerrevisions.apps "a-2" is forbidden: why a-2`
		}),
		first[0],
		changed(func(r *audit.Record) { r.Message = `controllerrevisions.apps "a-1" is forbidden: why else` }),
		changed(func(r *audit.Record) { r.Resource, r.Namespace, r.Name = "nodes", "", "s-0" }),
		// Not its own, not here, and not refused.
		changed(func(r *audit.Record) { r.User = "admin" }),
		changed(func(r *audit.Record) { r.Namespace = "elsewhere" }),
		changed(func(r *audit.Record) { r.Code, r.Reason, r.Message = 201, "", "" }),
		// What a controller is told whose cache is behind.
		changed(func(r *audit.Record) { r.Code, r.Reason, r.Verb = 409, "Conflict", "update" }),
		changed(func(r *audit.Record) { r.Code, r.Reason, r.Verb = 404, "NotFound", "delete" }),
		changed(func(r *audit.Record) { r.Code, r.Reason, r.Subresource = 404, "NotFound", "eviction" }),
		changed(func(r *audit.Record) { r.Code, r.Reason = 409, "AlreadyExists" }),
		// But not these.
		changed(func(r *audit.Record) { r.Code, r.Reason = 404, "NotFound" }),
		changed(func(r *audit.Record) { r.Code, r.Reason, r.Resource = 409, "AlreadyExists", "pods" }),
	}
	got := audit.Refusals(h, records, users)
	g.Expect(got).To(HaveLen(5))
	g.Expect(got[0]).To(Equal(history.Refusal{
		First: 2 * time.Second, Last: 9 * time.Second, Count: 2, Burst: 2, User: "me", Verb: "create", Group: "apps", Resource: "controllerrevisions", Namespace: "s",
		Name: "a-1", Code: 403, Reason: "Forbidden", Message: `controllerrevisions.apps "a-1" is forbidden: why a-1`,
	}))
	g.Expect(got[1].Message).To(HaveSuffix("why else"))
	g.Expect(got[2].Resource).To(Equal("nodes"))
	g.Expect(got[3].Code).To(BeEquivalentTo(404))
	g.Expect(got[4].Resource).To(Equal("pods"))
}
