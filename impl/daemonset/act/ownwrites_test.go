package act_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// cached is a state with pods of these UIDs, and showing one with revisions.
func cached(uids ...types.UID) plan.State {
	state := plan.State{DaemonSet: &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{UID: "ds"}}}
	for _, uid := range uids {
		state.Pods = append(state.Pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}})
	}
	return state
}

func showing(uids ...types.UID) plan.State {
	state := cached()
	for _, uid := range uids {
		state.Revisions = append(state.Revisions, &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{UID: uid}})
	}
	return state
}

func TestOwnWritesAreAwaited(t *testing.T) {
	terminating := cached("p1")
	terminating.Pods[0].DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	nothing := func(*act.OwnWrites) {}
	for name, c := range map[string]struct {
		write func(w *act.OwnWrites)
		see   func(w *act.OwnWrites)
		cache plan.State
		waits bool
	}{
		"nothing written":                      {nothing, nothing, cached("p1"), false},
		"created, not seen":                    {wrote(act.Pods, "12"), seen(act.Pods, "11"), cached(), true},
		"created, seen":                        {wrote(act.Pods, "12"), seen(act.Pods, "12"), cached("p1"), false},
		"created, and seen before it returned": {func(w *act.OwnWrites) { w.Seen(act.Pods, "12"); w.Wrote("ds", act.Pods, "12") }, nothing, cached("p1"), false},
		"created, seen and gone again":         {wrote(act.Pods, "12"), seen(act.Pods, "15"), cached(), false},
		"versions are numbers, not words":      {wrote(act.Pods, "100"), seen(act.Pods, "99"), cached(), true},
		"several created, only the first seen": {wrote(act.Pods, "12", "14", "13"), seen(act.Pods, "13"), cached(), true},
		"deleted, still there":                 {deleted("p1"), nothing, cached("p1", "p2"), true},
		"deleted, gone":                        {deleted("p1"), nothing, cached("p2"), false},
		"deleted, terminating":                 {deleted("p1"), nothing, terminating, false},
		"deletion of another DaemonSet's":      {func(w *act.OwnWrites) { w.Deleted("other", "p1") }, nothing, cached("p1"), false},
		"forgotten":                            {func(w *act.OwnWrites) { w.Wrote("ds", act.Pods, "12"); w.Forget("ds") }, nothing, cached(), false},
		"revision written, not seen":           {wrote(act.Revisions, "12"), seen(act.Revisions, "11"), cached(), true},
		"revision written, seen":               {wrote(act.Revisions, "12"), seen(act.Revisions, "12"), showing("r1"), false},
		"revision written, a later pod seen":   {wrote(act.Revisions, "12"), seen(act.Pods, "15"), cached(), true},
		"revision deleted, still there":        {deleted("r1"), nothing, showing("r1"), true},
		"revision deleted, gone":               {deleted("r1"), nothing, showing("r2"), false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := act.NewOwnWrites(clocktesting.NewFakePassiveClock(time.Unix(0, 0)), func(types.UID) { t.Error("timed out") })
			c.write(w)
			c.see(w)
			g.Expect(w.Awaited(c.cache, w.Mark())).To(Equal(map[bool]time.Duration{true: act.OwnWriteTimeout}[c.waits]), "RECOVERY-005, HISTORY-003, HISTORY-010")
		})
	}
}

func wrote(kind act.Kind, versions ...string) func(*act.OwnWrites) {
	return func(w *act.OwnWrites) {
		for _, version := range versions {
			w.Wrote("ds", kind, version)
		}
	}
}

func seen(kind act.Kind, version string) func(*act.OwnWrites) {
	return func(w *act.OwnWrites) { w.Seen(kind, version) }
}

func deleted(object types.UID) func(*act.OwnWrites) {
	return func(w *act.OwnWrites) { w.Deleted("ds", object) }
}

func TestOwnWritesAreNotAwaitedForEver(t *testing.T) {
	g := NewWithT(t)
	clock := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	timeouts := 0
	w := act.NewOwnWrites(clock, func(ds types.UID) {
		g.Expect(ds).To(BeEquivalentTo("ds"))
		timeouts++
	})
	w.Wrote("ds", act.Pods, "12")
	g.Expect(w.Awaited(cached(), w.Mark())).To(Equal(act.OwnWriteTimeout))
	clock.SetTime(time.Unix(0, 0).Add(act.OwnWriteTimeout - time.Second))
	g.Expect(w.Awaited(cached(), w.Mark())).To(Equal(time.Second))
	clock.SetTime(time.Unix(0, 0).Add(act.OwnWriteTimeout))
	g.Expect(w.Awaited(cached(), w.Mark())).To(BeZero())
	g.Expect(timeouts).To(Equal(1))
	g.Expect(w.Awaited(cached(), w.Mark())).To(BeZero())
	g.Expect(timeouts).To(Equal(1), "once")
}

func TestWriteThatIsSeenOnlyAfterTheCacheWasReadIsStillAwaited(t *testing.T) {
	g := NewWithT(t)
	w := act.NewOwnWrites(clocktesting.NewFakePassiveClock(time.Unix(0, 0)), func(types.UID) {})
	w.Wrote("ds", act.Pods, "12")
	before := w.Mark()
	read := cached()
	w.Seen(act.Pods, "12")
	g.Expect(w.Awaited(read, before)).NotTo(BeZero(), "SURGE-010: what was read does not have the pod")
	g.Expect(w.Awaited(cached("p1"), w.Mark())).To(BeZero())
}
