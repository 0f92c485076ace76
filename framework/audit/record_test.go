package audit_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/audit"
)

// Lines as kube-apiserver 1.37.0 writes them, shortened.
const (
	patched  = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/s/pods/a/status","verb":"patch","user":{"username":"system:node:n"},"objectRef":{"resource":"pods","namespace":"s","name":"a","apiVersion":"v1","subresource":"status"},"responseStatus":{"metadata":{},"code":200},"requestObject":{"status":{}},"responseObject":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"s","uid":"u","resourceVersion":"12"}},"requestReceivedTimestamp":"2026-01-01T12:00:00.000001Z","stageTimestamp":"2026-01-01T12:00:00.000002Z"}`
	created  = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/s/pods","verb":"create","user":{"username":"admin"},"impersonatedUser":{"username":"system:kwok"},"objectRef":{"resource":"pods","namespace":"s"},"responseStatus":{"code":201},"responseObject":{"kind":"Pod","metadata":{"name":"a-x1","namespace":"s","uid":"u","resourceVersion":"7"}}}`
	admitted = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/s/pods","verb":"create","user":{"username":"admin"},"objectRef":{"resource":"pods","namespace":"s"},"responseStatus":{"code":201},"requestObject":{"kind":"Pod","metadata":{"generateName":"a-"},"spec":{"subdomain":"agents"},"status":{}},"responseObject":{"kind":"Pod","metadata":{"name":"a-x1","namespace":"s","uid":"u","resourceVersion":"7"}}}`
	deleted  = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/nodes/n","verb":"delete","user":{"username":"admin"},"objectRef":{"resource":"nodes","name":"n"},"responseStatus":{"status":"Success","code":200},"responseObject":{"kind":"Status","metadata":{},"status":"Success","details":{"name":"n","kind":"nodes","uid":"node-uid"}}}`
	emptied  = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/s/pods","verb":"deletecollection","user":{"username":"admin"},"objectRef":{"resource":"pods","namespace":"s"},"responseStatus":{"code":200},"responseObject":{"kind":"PodList","metadata":{"resourceVersion":"20"},"items":[{"metadata":{"name":"a","namespace":"s","uid":"u1","resourceVersion":"3"}},{"metadata":{"name":"b","namespace":"s","uid":"u2","resourceVersion":"4"}}]}}`
	freed    = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/apis/apps/v1/namespaces/s/daemonsets/d","verb":"patch","user":{"username":"gc"},"objectRef":{"resource":"daemonsets","namespace":"s","name":"d"},"responseStatus":{"code":200},"requestObject":[{"op":"remove"}],"responseObject":{"kind":"DaemonSet","metadata":{"name":"d","namespace":"s","uid":"u","resourceVersion":"9","deletionTimestamp":"2026-01-01T12:00:00Z"}}}`
	refused  = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/s/pods/a/eviction","verb":"create","user":{"username":"admin"},"objectRef":{"resource":"pods","namespace":"s","name":"a","subresource":"eviction"},"responseStatus":{"status":"Failure","code":429},"responseObject":{"kind":"Status","status":"Failure","code":429,"details":{"uid":"u"}}}`
	tried    = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/s/pods/a","verb":"delete","user":{"username":"admin"},"objectRef":{"resource":"pods","namespace":"s","name":"a"},"responseStatus":{"code":200},"requestObject":{"kind":"DeleteOptions","dryRun":["All"]},"responseObject":{"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"5"}}}`
	pretend  = `{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/s/pods/a?dryRun=All","verb":"update","user":{"username":"admin"},"objectRef":{"resource":"pods","namespace":"s","name":"a"},"responseStatus":{"code":200}}`
	began    = `{"kind":"Event","stage":"RequestReceived","verb":"delete","user":{"username":"admin"},"objectRef":{"resource":"pods","namespace":"s","name":"a"}}`
)

func recordsIn(t *testing.T, lines ...string) []audit.Record {
	t.Helper()
	events, err := audit.Read(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var all []audit.Record
	for _, event := range events {
		records, err := audit.Records(event)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		all = append(all, records...)
	}
	return all
}

func TestARecordHoldsWhatTheAnswerSays(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		line string
		want []audit.Record
	}{
		"the object": {patched, []audit.Record{{
			User: "system:node:n", Verb: "patch", Resource: "pods", Subresource: "status", Namespace: "s", Name: "a", UID: "u", ResourceVersion: 12, Code: 200,
			Received: noon.Add(time.Microsecond), Answered: noon.Add(2 * time.Microsecond),
		}}},
		"its generated name, to an impersonated user": {created, []audit.Record{{
			User: "system:kwok", Verb: "create", Resource: "pods", Namespace: "s", Name: "a-x1", UID: "u", ResourceVersion: 7, Code: 201,
		}}},
		"a pod, and what it was before admission": {admitted, []audit.Record{{
			User: "admin", Verb: "create", Resource: "pods", Namespace: "s", Name: "a-x1", UID: "u", ResourceVersion: 7, Code: 201,
			Asked: &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"}, Spec: corev1.PodSpec{Subdomain: "agents"}},
		}}},
		"no more than its UID": {deleted, []audit.Record{{User: "admin", Verb: "delete", Resource: "nodes", Name: "n", UID: "node-uid", Code: 200}}},
		"each of a collection": {emptied, []audit.Record{
			{User: "admin", Verb: "deletecollection", Resource: "pods", Namespace: "s", Name: "a", UID: "u1", Code: 200},
			{User: "admin", Verb: "deletecollection", Resource: "pods", Namespace: "s", Name: "b", UID: "u2", Code: 200},
		}},
		"that no finalizer is left": {freed, []audit.Record{{
			User: "gc", Verb: "patch", Resource: "daemonsets", Namespace: "s", Name: "d", UID: "u", ResourceVersion: 9, Released: true, Code: 200,
		}}},
		"no": {refused, []audit.Record{{
			User: "admin", Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: "s", Name: "a", Code: 429,
		}}},
		"what would happen":             {tried, nil},
		"what would happen, by address": {pretend, nil},
		"nothing yet":                   {began, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := recordsIn(t, tt.line)
			for i := range got {
				got[i].Received, got[i].Answered = got[i].Received.UTC(), got[i].Answered.UTC()
			}
			NewWithT(t).Expect(got).To(Equal(tt.want))
		})
	}
}

func TestAnAnswerThatMakesNoSenseIsAnError(t *testing.T) {
	_, err := audit.Read(strings.NewReader(strings.Replace(patched, `{"name":"a","namespace":"s","uid":"u","resourceVersion":"12"}`, `[]`, 1) + "\n"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("line 1")))

	events, err := audit.Read(strings.NewReader(strings.Replace(patched, `"12"`, `"twelve"`, 1) + "\n"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(events).To(HaveLen(1))
	_, err = audit.Records(events[0])
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("patch pods s/a in the audit log")))
}

func TestWhatWasTriedAndRefusedIsRefused(t *testing.T) {
	g := NewWithT(t)
	g.Expect(recordsIn(t, pretend)).To(BeEmpty())
	found := recordsIn(t, strings.Replace(pretend, `"code":200`, `"code":403,"reason":"Forbidden"`, 1))
	g.Expect(found).To(HaveLen(1))
	g.Expect(found[0].Code).To(BeEquivalentTo(403))
}
