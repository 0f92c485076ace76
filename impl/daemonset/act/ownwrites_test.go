package act_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/act"
)

func cached(uids ...types.UID) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, uid := range uids {
		pods = append(pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}})
	}
	return pods
}

func TestOwnWritesAreAwaited(t *testing.T) {
	terminating := cached("p1")
	terminating[0].DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	for name, c := range map[string]struct {
		write func(w *act.OwnWrites)
		see   func(w *act.OwnWrites)
		cache []*corev1.Pod
		waits bool
	}{
		"nothing written":                      {func(*act.OwnWrites) {}, func(*act.OwnWrites) {}, cached("p1"), false},
		"created, not seen":                    {wrote("12"), seen("11"), nil, true},
		"created, seen":                        {wrote("12"), seen("12"), cached("p1"), false},
		"created, and seen before it returned": {func(w *act.OwnWrites) { w.Seen("12"); w.Wrote("ds", "12") }, func(*act.OwnWrites) {}, cached("p1"), false},
		"created, seen and gone again":         {wrote("12"), seen("15"), nil, false},
		"versions are numbers, not words":      {wrote("100"), seen("99"), nil, true},
		"several created, only the first seen": {func(w *act.OwnWrites) { w.Wrote("ds", "12"); w.Wrote("ds", "14"); w.Wrote("ds", "13") }, seen("13"), nil, true},
		"deleted, still there":                 {deleted("p1"), func(*act.OwnWrites) {}, cached("p1", "p2"), true},
		"deleted, gone":                        {deleted("p1"), func(*act.OwnWrites) {}, cached("p2"), false},
		"deleted, terminating":                 {deleted("p1"), func(*act.OwnWrites) {}, terminating, false},
		"deletion of another DaemonSet's":      {func(w *act.OwnWrites) { w.Deleted("other", "p1") }, func(*act.OwnWrites) {}, cached("p1"), false},
		"forgotten":                            {func(w *act.OwnWrites) { w.Wrote("ds", "12"); w.Forget("ds") }, func(*act.OwnWrites) {}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := act.NewOwnWrites(clocktesting.NewFakePassiveClock(time.Unix(0, 0)), func() { t.Error("timed out") })
			c.write(w)
			c.see(w)
			g.Expect(w.Awaited("ds", c.cache, w.Mark()) > 0).To(Equal(c.waits), "RECOVERY-005")
		})
	}
}

func wrote(version string) func(*act.OwnWrites) {
	return func(w *act.OwnWrites) { w.Wrote("ds", version) }
}

func seen(version string) func(*act.OwnWrites) {
	return func(w *act.OwnWrites) { w.Seen(version) }
}

func deleted(pod types.UID) func(*act.OwnWrites) {
	return func(w *act.OwnWrites) { w.Deleted("ds", pod) }
}

func TestOwnWritesAreNotAwaitedForEver(t *testing.T) {
	g := NewWithT(t)
	clock := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	timeouts := 0
	w := act.NewOwnWrites(clock, func() { timeouts++ })
	w.Wrote("ds", "12")
	g.Expect(w.Awaited("ds", nil, w.Mark())).To(Equal(act.OwnWriteTimeout))
	clock.SetTime(time.Unix(0, 0).Add(act.OwnWriteTimeout - time.Second))
	g.Expect(w.Awaited("ds", nil, w.Mark())).To(Equal(time.Second))
	clock.SetTime(time.Unix(0, 0).Add(act.OwnWriteTimeout))
	g.Expect(w.Awaited("ds", nil, w.Mark())).To(BeZero())
	g.Expect(timeouts).To(Equal(1))
	g.Expect(w.Awaited("ds", nil, w.Mark())).To(BeZero())
	g.Expect(timeouts).To(Equal(1), "once")
}

func TestWriteThatIsSeenOnlyAfterTheCacheWasReadIsStillAwaited(t *testing.T) {
	g := NewWithT(t)
	w := act.NewOwnWrites(clocktesting.NewFakePassiveClock(time.Unix(0, 0)), func() {})
	w.Wrote("ds", "12")
	before := w.Mark()
	read := cached()
	w.Seen("12")
	g.Expect(w.Awaited("ds", read, before)).NotTo(BeZero(), "SURGE-010: what was read does not have the pod")
	g.Expect(w.Awaited("ds", cached("p1"), w.Mark())).To(BeZero())
}
