package evict

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// requests are the specs of what the eviction subresource takes. Each asks of a pod of its own.
func requests() {
	patches := []struct {
		kind types.PatchType
		body string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]`},
		{types.MergePatchType, `{"metadata":{"labels":{"x":"y"}}}`},
		{types.StrategicMergePatchType, `{"metadata":{"labels":{"x":"y"}}}`},
		{types.ApplyPatchType, `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"patched"}}`},
	}
	spec.It("accepts evictions of policy/v1, of policy/v1beta1 and without a type, and no other request",
		spec.Decides("EVICT-001", "EVICT-002", "EVICT-003", "EVICT-004", "EVICT-005", "EVICT-006", "EVICT-007", "EVICT-009", "EVICT-031", "EVICT-032", "EVICT-033"),
		func(ctx context.Context, c *spec.Case) {
			c.Discover(ctx, "v1")
			node := c.AddNodes(ctx, 1)[0]
			all := pods(ctx, c, node, guarded, []string{"v1", "v1beta1", "untyped", "v2", "read", "patched", "misnamed", "breaking"})
			_ = c.TryEvict(ctx, all[0])
			_ = c.TryEvict(ctx, all[1], InVersion("policy/v1beta1"))
			_ = c.TryEvict(ctx, all[2], Untyped())
			_ = c.TryEvict(ctx, all[3], InVersion("policy/v2"))
			_ = c.TryReadEviction(ctx, all[4])
			for _, patch := range patches {
				_ = c.TryPatchEviction(ctx, all[5], patch.kind, patch.body)
			}
			_ = c.TryEvict(ctx, all[6], NamedInBody("another"))
			absent := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "absent", Namespace: c.Namespace()}}
			_ = c.TryEvict(ctx, absent)
			ignore := true
			_ = c.TryEvict(ctx, all[7], WithDeleteOptions("that ignores read errors of the store", metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: &ignore}))
		},
		func(j *spec.Checks) {
			done := []Reply{WithCode(http.StatusCreated), WithSuccess()}
			j.Decide("EVICT-001", Answers("an Eviction of policy/v1", evicted("v1"), done...), gone("v1"))
			j.Decide("EVICT-009", Answers("evicting a pod that no budget selects", evicted("v1"), done...), gone("v1"))
			j.Decide("EVICT-002", Answers("an Eviction of policy/v1beta1", evicted("v1beta1"), done...), gone("v1beta1"), Effected(PodDisrupted(Named("v1beta1")), evicted("v1beta1")))
			j.Decide("EVICT-003", Answers("an Eviction without a type", evicted("untyped"), done...), gone("untyped"))
			j.Decide("EVICT-004", Answers("an Eviction of policy/v2", evicted("v2"), WithCode(http.StatusBadRequest, http.StatusUnsupportedMediaType)), stays("v2"))
			j.Decide("EVICT-005", Answers("reading the eviction subresource", Answered(history.ReadEviction, "read"), WithCode(http.StatusMethodNotAllowed)), stays("read"))
			j.Decide("EVICT-006", Answers("patching the eviction subresource", Answered(history.PatchEviction, "patched"),
				WithCode(http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType)), stays("patched"))
			j.Decide("EVICT-007", Answers("the discovery document of v1", Answered(history.Discover, "v1"), WithCode(http.StatusOK), WithItem("pods/eviction policy/v1 Eviction")))
			for _, pod := range []string{"v1", "untyped"} {
				j.Decide("EVICT-031", Before(PodDisrupted(Named(pod)), PodDeleted(Named(pod))))
			}
			j.Decide("EVICT-032",
				Answers("an Eviction that names another pod than its path", evicted("misnamed"), WithCode(http.StatusBadRequest)), stays("misnamed"),
				Answers("evicting a pod that does not exist", evicted("absent"), WithCode(http.StatusNotFound)))
			j.Decide("EVICT-033",
				Answers("an Eviction that ignores read errors of the store", evicted("breaking"), WithCode(http.StatusUnprocessableEntity)), stays("breaking"))
		})
}

// options are the specs of the delete options of an Eviction.
func options() {
	spec.It("obeys the preconditions and the grace period of an eviction",
		spec.Decides("EVICT-029", "EVICT-030"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			all := pods(ctx, c, node, guarded, []string{"wrong-uid", "stale", "right", "grace-7", "grace-0"})
			current := map[string]*corev1.Pod{}
			c.Look(ctx, func(cluster *history.Cluster) {
				for _, pod := range all {
					current[pod.Name] = cluster.Pods[pod.UID].DeepCopy()
				}
			})
			other := types.UID("00000000-0000-0000-0000-000000000000")
			_ = c.TryEvict(ctx, all[0], WithDeleteOptions("if it has another UID", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}}))
			_ = c.TryEvict(ctx, all[1], WithDeleteOptions("if it is as it was created", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &all[1].ResourceVersion}}))
			now := current["right"]
			_ = c.TryEvict(ctx, now, WithDeleteOptions("if it is as it is", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &now.UID, ResourceVersion: &now.ResourceVersion}}))
			// It goes only if nobody waits for it.
			c.Pods.HoldTermination(ctx, all[4])
			for i, seconds := range []int64{7, 0} {
				_ = c.TryEvict(ctx, all[3+i], WithDeleteOptions("with a grace period", metav1.DeleteOptions{GracePeriodSeconds: &seconds}))
			}
		},
		func(j *spec.Checks) {
			conflict := WithCode(http.StatusConflict)
			j.Decide("EVICT-029",
				Answers("evicting a pod with another UID", evicted("wrong-uid"), conflict), stays("wrong-uid"),
				Answers("evicting a pod with a newer resourceVersion", evicted("stale"), conflict), stays("stale"),
				Answers("evicting a pod as the preconditions have it", evicted("right"), WithCode(http.StatusCreated)), gone("right"))
			j.Decide("EVICT-030",
				Answers("evicting with a grace period of 7 s", evicted("grace-7"), WithCode(http.StatusCreated)), deletedWithin("grace-7", 7),
				Answers("evicting with a grace period of 0 s", evicted("grace-0"), WithCode(http.StatusCreated)), Effected(PodGone(Named("grace-0")), evicted("grace-0")))
		}, spec.SimulatedNodes{})
}

// deletedWithin asks that the pod was deleted with that grace period.
func deletedWithin(pod string, seconds int64) Matcher {
	given := func(m Moment) bool {
		grace := m.Pod().DeletionGracePeriodSeconds
		return grace != nil && *grace == seconds
	}
	return All(Effected(PodDeleted(Named(pod)).Where("with its grace period", given), evicted(pod)),
		Never(PodDeleted(Named(pod)).Where("with another grace period", func(m Moment) bool { return !given(m) })))
}
