package recorder_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestAConnectionThatIsCutAndResumedLeavesNoGap(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod)
	w.happens(watch.Added, history.KindPod, "before")
	seen(t, r, history.KindPod, "before", true)
	w.hold(history.KindPod)
	w.happens(watch.Added, history.KindPod, "meanwhile")
	w.happens(watch.Deleted, history.KindPod, "meanwhile")
	w.cut(history.KindPod)
	w.release(history.KindPod)
	h := caughtUp(t, r, path)
	g.Expect(told(h)).To(Equal([]string{"ADDED Pod before@11", "ADDED Pod meanwhile@12", "DELETED Pod meanwhile@13"}))
	g.Expect(h.Gaps).To(BeEmpty())
}

func TestAnAPIServerThatIsAwayForAWhileLeavesNoGap(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod)
	w.change(func() { w.refuse[history.KindPod] = errors.New("connection refused") })
	w.cut(history.KindPod)
	w.happens(watch.Added, history.KindPod, "meanwhile")
	g.Eventually(func() int { return w.requestsFor(history.KindPod) }).WithTimeout(patience).Should(BeNumerically(">=", 4))
	w.change(func() { w.refuse[history.KindPod] = nil })
	h := caughtUp(t, r, path)
	g.Expect(told(h)).To(Equal([]string{"ADDED Pod meanwhile@11"}))
	g.Expect(h.Gaps).To(BeEmpty())
}

func TestAWatchThatTheAPIServerHasForgottenLeavesAGapAndGoesOnBehindIt(t *testing.T) {
	for name, refuseRequest := range map[string]bool{"told in the watch": false, "told when asking for it": true} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t)
			r, path := record(t, w, history.KindPod, history.KindNode, history.KindStatefulSet)
			for _, pod := range []string{"unchanged", "changed", "deleted"} {
				w.happens(watch.Added, history.KindPod, pod)
				seen(t, r, history.KindPod, pod, true)
			}
			w.hold(history.KindPod)
			w.happens(watch.Modified, history.KindPod, "changed")
			w.happens(watch.Deleted, history.KindPod, "deleted")
			w.happens(watch.Added, history.KindPod, "new")
			w.happens(watch.Added, history.KindPod, "never seen")
			w.happens(watch.Deleted, history.KindPod, "never seen")
			if refuseRequest {
				w.change(func() { w.refuse[history.KindPod] = gone() })
			}
			w.forget(history.KindPod)
			if refuseRequest {
				before := w.requestsFor(history.KindPod)
				g.Eventually(func() int { return w.requestsFor(history.KindPod) }).WithTimeout(patience).Should(BeNumerically(">", before+1))
				w.change(func() { w.refuse[history.KindPod] = nil })
			}
			w.release(history.KindPod)
			seen(t, r, history.KindPod, "new", true)
			seen(t, r, history.KindPod, "deleted", false)
			w.happens(watch.Modified, history.KindPod, "unchanged")

			h := caughtUp(t, r, path)
			g.Expect(told(h)).To(Equal([]string{
				"ADDED Pod unchanged@11", "ADDED Pod changed@12", "ADDED Pod deleted@13",
				"MODIFIED Pod changed@14", "ADDED Pod new@16", "DELETED Pod deleted@18", "MODIFIED Pod unchanged@19",
			}), "the difference over the gap, and then everything")
			g.Expect(h.Gaps).NotTo(BeEmpty())
			g.Expect(h.Gaps[0]).To(SatisfyAll(
				HaveField("Kind", history.KindPod), HaveField("After", uint64(13)), HaveField("Reason", ContainSubstring("too old"))))
			if !refuseRequest {
				g.Expect(h.Gaps).To(HaveLen(1))
			}
		})
	}
}
