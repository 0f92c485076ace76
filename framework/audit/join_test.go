package audit_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// told is a history with the log that goes with it.
type told struct {
	*Builder
	log []audit.Record
}

// pod is a pod that "maker" created.
func (w *told) pod() *Pod {
	pod := w.Stranger("a", "", nil)
	w.answered("maker", "create", "", pod.Object().UID, w.Version())
	return pod
}

// answered logs a request with its answer, which was given when the newest event was made.
func (w *told) answered(user, verb, subresource string, uid types.UID, version uint64) *audit.Record {
	return w.about("pods", user, verb, subresource, "a", uid, version)
}

func (w *told) about(resource, user, verb, subresource, name string, uid types.UID, version uint64) *audit.Record {
	w.log = append(w.log, audit.Record{
		User: user, Verb: verb, Resource: resource, Subresource: subresource, Namespace: Namespace, Name: name, UID: uid, ResourceVersion: version,
		Code: http.StatusOK, Received: w.Now().Add(-2 * time.Millisecond), Answered: w.Now(),
	})
	return &w.log[len(w.log)-1]
}

// drained is a pod that the drainer has evicted, and the version in which it terminates.
func (w *told) drained() (pod *Pod, terminating uint64) {
	pod = w.pod()
	w.evictedByAPI(pod)
	pod.Terminating()
	w.answered("drainer", "create", "eviction", "", 0).Received = w.Now().Add(-10 * time.Millisecond)
	return pod, w.Version()
}

func (w *told) evictedByAPI(pod *Pod) {
	pod.Edit(func(pod *corev1.Pod) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI",
		})
	})
}

// endAtOnce leaves a pod no time to terminate.
func endAtOnce(pod *corev1.Pod) {
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &metav1.Time{Time: time.Date(2026, 1, 1, 12, 0, 1, 0, time.UTC)}, new(int64)
}

// users lists the authors of the history's events in their order.
func users(h *history.History, all []audit.Record) string {
	h.Attribute(history.AuthorsFromAuditLog, audit.Join(h, all))
	var names []string
	for _, entry := range h.Entries {
		if entry.Author == nil {
			names = append(names, "?")
		} else {
			names = append(names, entry.Author.User)
		}
	}
	return strings.Join(names, " ")
}

func TestEachEventHasTheAuthorWhoseRequestMadeIt(t *testing.T) {
	for name, tt := range map[string]struct {
		tell func(w *told)
		want string
	}{
		"the answer has the event's version": {func(w *told) {
			pod := w.pod().Ready()
			w.answered("kubelet", "patch", "status", pod.Object().UID, w.Version())
		}, "maker kubelet"},
		"of two answers with a version the first changed something, the second nothing": {func(w *told) {
			pod := w.pod().Ready()
			w.answered("kubelet", "patch", "status", pod.Object().UID, w.Version())
			w.After(time.Second)
			w.answered("idle", "patch", "", pod.Object().UID, w.Version())
		}, "maker kubelet"},
		"a version that belongs to another object": {func(w *told) {
			w.pod().Ready()
			w.answered("somebody", "patch", "", "another", w.Version())
		}, "maker ?"},
		"a request that failed": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("somebody", "delete", "", pod.Object().UID, w.Version()).Code = http.StatusConflict
		}, "maker ?"},
		"a graceful deletion, whose end is the kubelet's": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("deleter", "delete", "", pod.Object().UID, w.Version())
			pod.Gone()
			w.answered("kubelet", "delete", "", pod.Object().UID, w.Version())
		}, "maker deleter kubelet"},
		"a deletion that found the object being deleted": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("deleter", "delete", "", pod.Object().UID, w.Version())
			w.answered("late", "delete", "", pod.Object().UID, w.Version())
			pod.Gone()
		}, "maker deleter ?"},
		"a deletion at once, before whose answer a kubelet saw it and deleted the pod, too": {func(w *told) {
			pod := w.pod().Edit(endAtOnce)
			pod.Gone()
			w.answered("kubelet", "delete", "", pod.Object().UID, w.Version()).Received = w.Now().Add(-10 * time.Millisecond)
			w.answered("deleter", "delete", "", pod.Object().UID, 0).Received = w.Now().Add(-20 * time.Millisecond)
		}, "maker deleter kubelet"},
		"a binding": {func(w *told) {
			pod := w.pod().Edit(func(pod *corev1.Pod) { pod.Spec.NodeName = "node-1" })
			w.answered("scheduler", "create", "binding", pod.Object().UID, 0)
		}, "maker scheduler"},
		"an eviction, which tells the pod before": {func(w *told) {
			pod := w.pod()
			w.evictedByAPI(pod)
			pod.Terminating()
			w.answered("drainer", "create", "eviction", "", 0).Received = w.Now().Add(-10 * time.Millisecond)
		}, "maker drainer drainer"},
		"two evictions, the second of which found it done": {func(w *told) {
			pod := w.pod()
			w.evictedByAPI(pod)
			pod.Terminating()
			w.answered("drainer", "create", "eviction", "", 0).Received = w.Now().Add(-10 * time.Millisecond)
			w.After(time.Second)
			w.answered("late", "create", "eviction", "", 0)
		}, "maker drainer drainer"},
		"an eviction, and a deletion that found it done": {func(w *told) {
			pod, terminating := w.drained()
			w.After(time.Second)
			w.answered("late", "delete", "", pod.Object().UID, terminating)
			pod.Gone()
		}, "maker drainer drainer ?"},
		"a deletion, and an eviction that found it done": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("deleter", "delete", "", pod.Object().UID, w.Version())
			w.After(time.Second)
			w.answered("late", "create", "eviction", "", 0).Received = w.Now().Add(-2 * time.Second)
		}, "maker deleter"},
		"an eviction, and a patch that changes nothing": {func(w *told) {
			pod, terminating := w.drained()
			w.After(time.Second)
			w.answered("late", "patch", "", pod.Object().UID, terminating)
		}, "maker drainer drainer"},
		"a collection's deletion, and a deletion that found it done": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("namespace", "deletecollection", "", pod.Object().UID, 0)
			terminating := w.Version()
			w.After(time.Second)
			w.answered("late", "delete", "", pod.Object().UID, terminating)
		}, "maker namespace"},
		"a deletion with less time after an eviction that found the pod terminate": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("deleter", "delete", "", pod.Object().UID, w.Version())
			w.answered("drainer", "create", "eviction", "", 0)
			w.After(time.Second)
			pod.Edit(func(pod *corev1.Pod) {
				pod.DeletionTimestamp = &metav1.Time{Time: pod.DeletionTimestamp.Add(-time.Second)}
			})
			w.answered("impatient", "delete", "", pod.Object().UID, w.Version())
		}, "maker deleter impatient"},
		"an eviction of a pod that had gone": {func(w *told) {
			pod := w.pod()
			pod.Terminating()
			w.After(time.Second)
			w.answered("late", "create", "eviction", "", 0)
		}, "maker ?"},
		"the deletion of a collection": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("namespace", "deletecollection", "", pod.Object().UID, 0)
		}, "maker namespace"},
		"a collection's deletion ends no grace period": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("namespace", "deletecollection", "", pod.Object().UID, 0)
			pod.Gone()
			w.answered("kubelet", "delete", "", pod.Object().UID, w.Version())
		}, "maker namespace kubelet"},
		"the end of a grace period that is not in the log": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("namespace", "deletecollection", "", pod.Object().UID, 0)
			pod.Gone()
		}, "maker namespace ?"},
		"a deletion at once, which sets the grace period to 0 before": {func(w *told) {
			pod := w.pod().Edit(endAtOnce)
			pod.Gone()
			w.answered("deleter", "delete", "", pod.Object().UID, w.Version()).Received = w.Now().Add(-10 * time.Millisecond)
		}, "maker deleter deleter"},
		"a kubelet's deletion at the end of a grace period": {func(w *told) {
			pod := w.pod().Terminating()
			w.answered("deleter", "delete", "", pod.Object().UID, w.Version())
			w.answered("late", "delete", "", pod.Object().UID, w.Version())
			pod.Edit(endAtOnce)
			pod.Gone()
			w.answered("kubelet", "delete", "", pod.Object().UID, w.Version()).Received = w.Now().Add(-10 * time.Millisecond)
		}, "maker deleter kubelet kubelet"},
		"a collection's deletion at once": {func(w *told) {
			pod := w.pod().Edit(endAtOnce)
			pod.Gone()
			w.answered("namespace", "deletecollection", "", pod.Object().UID, 0).Received = w.Now().Add(-10 * time.Millisecond)
		}, "maker namespace namespace"},
		"a deletion that is answered with a UID": {func(w *told) {
			node := w.Node("node-1").Join()
			node.Leave()
			w.about("nodes", "harness", "delete", "", "node-1", w.History().Entries[0].Object.GetUID(), 0)
		}, "? harness"},
		"the last finalizer": {func(w *told) {
			pod := w.pod().Edit(func(pod *corev1.Pod) { pod.Finalizers = []string{"example/keep"} })
			uid := pod.Object().UID
			w.answered("keeper", "patch", "", uid, w.Version())
			pod.Terminating()
			w.answered("deleter", "delete", "", uid, w.Version())
			terminating := w.Version()
			pod.Gone()
			w.answered("collector", "patch", "", uid, terminating).Released = true
		}, "maker keeper deleter collector"},
		"a heartbeat is no effect of a deletion": {func(w *told) {
			pod := w.pod().Ready()
			w.answered("deleter", "deletecollection", "", pod.Object().UID, 0)
		}, "maker ?"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &told{Builder: New(t)}
			tt.tell(w)
			NewWithT(t).Expect(users(w.History(), w.log)).To(Equal(tt.want))
		})
	}
}

func TestAnAuthorshipNamesTheRequest(t *testing.T) {
	w := &told{Builder: New(t)}
	pod := w.pod()
	w.evictedByAPI(pod)
	w.answered("drainer", "create", "eviction", "", 0)
	NewWithT(t).Expect(audit.Join(w.History(), w.log)[1]).To(Equal(history.Authorship{
		ResourceVersion: w.Version(), UID: pod.Object().UID,
		Author: history.Author{User: "drainer", Verb: "create", Subresource: "eviction", Code: 200, Answered: w.log[len(w.log)-1].Answered},
	}))
}

func TestWhatWasAskedForIsToldWhereAdmissionChangedIt(t *testing.T) {
	for name, row := range map[string]struct {
		asked string
		want  *corev1.PodTemplateSpec
	}{
		"all that was asked for is there": {"", nil},
		"another value is there":          {"agents", &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Subdomain: "agents"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &told{Builder: New(t)}
			w.pod()
			w.log[0].Asked = &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: corev1.PodSpec{Subdomain: row.asked}}
			authors := audit.Join(w.History(), w.log)
			NewWithT(t).Expect(authors).To(HaveLen(1))
			NewWithT(t).Expect(authors[0].Author.Asked).To(Equal(row.want))
		})
	}
}

// BenchmarkJoin joins the log of a rollout over 1,000 nodes, every event of which is in it.
func BenchmarkJoin(b *testing.B) {
	h := SurgeRollout(b, 1000)
	var all []audit.Record
	for _, entry := range h.Entries {
		if entry.Object != nil {
			all = append(all, audit.Record{User: "u", UID: entry.Object.GetUID(), ResourceVersion: entry.ResourceVersion, Code: 200, Answered: entry.Time})
		}
	}
	for b.Loop() {
		if joined := audit.Join(h, all); len(joined) != len(all) {
			b.Fatalf("%d of %d events are joined", len(joined), len(all))
		}
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "events/s")
}
