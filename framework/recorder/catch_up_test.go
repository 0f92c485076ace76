package recorder_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// catchUpWhile calls CatchUp while the kind's watch is held up, makes sure that it waits for that, and lets the watch go on.
func catchUpWhile(t *testing.T, w *world, r *recorder.Recorder, held history.Kind) {
	t.Helper()
	g := NewWithT(t)
	proven := make(chan error, 1)
	go func() { proven <- r.CatchUp(t.Context()) }()
	g.Consistently(proven).WithTimeout(100 * time.Millisecond).ShouldNot(Receive())
	w.release(held)
	g.Eventually(proven).WithTimeout(patience).Should(Receive(BeNil()))
}

func TestCatchingUpWaitsForWhateverIsLate(t *testing.T) {
	for _, kind := range []history.Kind{
		history.KindPod, history.KindNode, history.KindDaemonSet, history.KindControllerRevision, history.KindStatefulSet,
		history.KindPodDisruptionBudget,
	} {
		for name, late := range map[string]struct {
			happens func(*world)
			tells   []string
		}{
			"an addition": {
				happens: func(w *world) { w.happens(watch.Added, kind, "late") },
				tells:   []string{"ADDED " + string(kind) + " old@11", "ADDED " + string(kind) + " late@12"},
			},
			"a deletion": {
				happens: func(w *world) { w.happens(watch.Deleted, kind, "old") },
				tells:   []string{"ADDED " + string(kind) + " old@11", "DELETED " + string(kind) + " old@12"},
			},
			"something made and deleted since": {
				happens: func(w *world) {
					w.happens(watch.Added, kind, "short-lived")
					w.happens(watch.Deleted, kind, "short-lived")
				},
				tells: []string{
					"ADDED " + string(kind) + " old@11", "ADDED " + string(kind) + " short-lived@12", "DELETED " + string(kind) + " short-lived@13",
				},
			},
		} {
			t.Run(string(kind)+", "+name, func(t *testing.T) {
				g := NewWithT(t)
				w := newWorld(t)
				r, path := record(t, w, kind)
				w.happens(watch.Added, kind, "old")
				// Nothing but the recording tells that the first event has arrived, for a kind that has no state.
				g.Eventually(func() int { return entriesNow(t, path) }).Should(Equal(1))
				w.hold(kind)
				late.happens(w)
				catchUpWhile(t, w, r, kind)
				h := closed(t, r, path)
				g.Expect(h.CaughtUp).To(BeTrue())
				g.Expect(told(h)).To(Equal(late.tells))
			})
		}
	}
}

func entriesNow(t *testing.T, path string) int {
	t.Helper()
	h, err := history.Open(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return len(h.Entries)
}

func TestAWatchThatHangsIsNamedAndProvesNothing(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod, history.KindNode)
	w.hold(history.KindPod)
	w.happens(watch.Added, history.KindPod, "late")
	out := errors.New("out of patience")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, out)
	defer cancel()
	g.Expect(r.CatchUp(ctx)).To(SatisfyAll(
		MatchError(out), MatchError(ContainSubstring("catch up with Pod from resourceVersion 10 to 11"))))
	g.Expect(closed(t, r, path).CaughtUp).To(BeFalse())
}

func TestAWatchThatIsDownIsNamedWithTheReason(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod)
	w.change(func() { w.refuse[history.KindPod] = errors.New("connection refused") })
	w.cut(history.KindPod)
	w.happens(watch.Added, history.KindPod, "late")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	g.Expect(r.CatchUp(ctx)).To(SatisfyAll(
		MatchError(context.DeadlineExceeded), MatchError(ContainSubstring("catch up with Pod")), MatchError(ContainSubstring("connection refused"))))
	g.Expect(closed(t, r, path).CaughtUp).To(BeFalse())
}

func TestAProofThatFailedLosesNothingAndMayBeTriedAgain(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod, history.KindNode)
	w.hold(history.KindPod)
	w.happens(watch.Added, history.KindPod, "late")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- r.CatchUp(ctx) }()
	g.Eventually(func() int { return w.marksOf(history.KindPod) }).Should(Equal(1), "the proof has begun")
	w.happens(watch.Added, history.KindNode, "beyond the proof's end")
	g.Eventually(failed).WithTimeout(patience).Should(Receive(MatchError(context.DeadlineExceeded)))
	w.release(history.KindPod)
	// The failed proof's own marks are among them.
	g.Expect(told(caughtUp(t, r, path))).To(ContainElements("ADDED Pod late@11", "ADDED Node beyond the proof's end@14"))
}

func TestAProvenRecordingHoldsNothingBeyondTheProof(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod, history.KindNode)
	w.hold(history.KindPod)
	w.happens(watch.Added, history.KindPod, "late")
	proven := make(chan error, 1)
	go func() { proven <- r.CatchUp(t.Context()) }()
	g.Eventually(func() int { return w.marksOf(history.KindPod) }).Should(Equal(1), "the proof has begun")
	w.happens(watch.Added, history.KindNode, "beyond")
	w.happens(watch.Added, history.KindPod, "beyond, too")
	g.Consistently(proven).WithTimeout(100 * time.Millisecond).ShouldNot(Receive())
	w.release(history.KindPod)
	g.Eventually(proven).WithTimeout(patience).Should(Receive(BeNil()))
	w.happens(watch.Modified, history.KindNode, "beyond")
	g.Expect(r.Mark("late")).To(MatchError(recorder.ErrEnded))
	h := closed(t, r, path)
	g.Expect(h.CaughtUp).To(BeTrue())
	g.Expect(told(h)).To(Equal([]string{"ADDED Pod late@11"}))
}
