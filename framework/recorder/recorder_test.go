package recorder_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// patience bounds waits for what takes milliseconds.
const patience = 20 * time.Second

// record starts a recording of the kinds, which ends with the test.
func record(t testing.TB, w *world, kinds ...history.Kind) (*recorder.Recorder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := recorder.Start(t.Context(), recorder.Options{Sources: w.sources(kinds...), Path: path})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = r.Close() })
	return r, path
}

// caughtUp ends the recording with the proof and reads it.
func caughtUp(t testing.TB, r *recorder.Recorder, path string) *history.History {
	t.Helper()
	g := NewWithT(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	g.Expect(r.CatchUp(ctx)).To(Succeed())
	h := closed(t, r, path)
	g.Expect(h.CaughtUp).To(BeTrue())
	return h
}

func closed(t testing.TB, r *recorder.Recorder, path string) *history.History {
	t.Helper()
	g := NewWithT(t)
	g.Expect(r.Close()).To(Succeed())
	h, err := history.Open(path)
	g.Expect(err).NotTo(HaveOccurred())
	return h
}

// seen waits until the state shows (or no longer shows) an object of the kind with the name.
func seen(t testing.TB, r *recorder.Recorder, kind history.Kind, name string, want bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("%s %s: waited for it to be there (%v)", kind, name, want))
	defer cancel()
	NewWithT(t).Expect(r.Await(ctx, func(cluster *history.Cluster) bool {
		for _, object := range cluster.Objects(kind) {
			if object.GetName() == name {
				return want
			}
		}
		return !want
	})).To(Succeed())
}

// told renders a history, "ADDED Pod a@11", in order.
func told(h *history.History) []string {
	var lines []string
	for _, entry := range h.Entries {
		text := fmt.Sprintf("%s %s", entry.Type, entry.Kind)
		switch {
		case entry.Stimulus != nil:
			text = string(entry.Stimulus.Act)
		case entry.Outcome != nil:
			text = fmt.Sprintf("outcome of %d, refused %t", entry.Outcome.Stimulus, entry.Outcome.Refused)
		case entry.Mark != "":
			text = string(entry.Mark)
		default:
			text += " " + entry.Object.GetName()
		}
		lines = append(lines, fmt.Sprintf("%s@%d", text, entry.ResourceVersion))
	}
	return lines
}

func TestWhatExistsAtTheStartIsRecorded(t *testing.T) {
	w := newWorld(t)
	w.happens(watch.Added, history.KindPod, "old")
	w.happens(watch.Added, history.KindPod, "gone before")
	w.happens(watch.Deleted, history.KindPod, "gone before")
	r, path := record(t, w, history.KindPod)
	NewWithT(t).Expect(told(caughtUp(t, r, path))).To(Equal([]string{"ADDED Pod old@11"}))
}

func TestNothingIsLostBetweenTheListAndTheWatch(t *testing.T) {
	w := newWorld(t)
	happened := false
	w.beforeWatch = func(history.Kind) {
		if !happened {
			happened = true
			w.happens(watch.Added, history.KindPod, "short-lived")
			w.happens(watch.Deleted, history.KindPod, "short-lived")
		}
	}
	r, path := record(t, w, history.KindPod)
	NewWithT(t).Expect(told(caughtUp(t, r, path))).To(Equal([]string{"ADDED Pod short-lived@11", "DELETED Pod short-lived@12"}))
}

func TestEventsOfAllKindsAreReadInTheOrderInWhichTheyHappened(t *testing.T) {
	w := newWorld(t)
	r, path := record(t, w, history.KindNode, history.KindPod)
	w.hold(history.KindNode)
	w.happens(watch.Added, history.KindNode, "n")
	w.happens(watch.Added, history.KindPod, "p")
	w.happens(watch.Modified, history.KindNode, "n")
	seen(t, r, history.KindPod, "p", true)
	w.release(history.KindNode)
	NewWithT(t).Expect(told(caughtUp(t, r, path))).To(Equal([]string{"ADDED Node n@11", "ADDED Pod p@12", "MODIFIED Node n@13"}))
}

func TestAStimulusComesAfterWhatWasSeenAndBeforeWhatItCauses(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod, history.KindNode)
	w.happens(watch.Added, history.KindPod, "seen")
	seen(t, r, history.KindPod, "seen", true)
	g.Expect(r.Do(t.Context(), history.Stimulus{Act: history.BecomeUnready}, func(context.Context) error {
		w.happens(watch.Modified, history.KindPod, "seen")
		w.happens(watch.Added, history.KindNode, "caused")
		return nil
	})).To(Succeed())
	entries := told(caughtUp(t, r, path))
	g.Expect(entries[:2]).To(Equal([]string{"ADDED Pod seen@11", "become unready@11"}))
	g.Expect(entries).To(ContainElements("MODIFIED Pod seen@12", "ADDED Node caused@13"))
	g.Expect(entries).To(ContainElement(HavePrefix("outcome of 1, refused false")))
}

func TestTheOutcomeSaysWhetherTheAPIServerRefusedTheAct(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod)
	act := func(err error) error {
		return r.Do(t.Context(), history.Stimulus{Act: history.EvictPod}, func(context.Context) error { return err })
	}
	refusal := apierrors.NewTooManyRequests("the budget is used up", 10)
	g.Expect(act(refusal)).To(MatchError(refusal))
	g.Expect(act(context.DeadlineExceeded)).To(MatchError(context.DeadlineExceeded))
	g.Expect(act(apierrors.NewInternalError(context.Canceled))).NotTo(Succeed())
	g.Expect(told(caughtUp(t, r, path))).To(Equal([]string{
		"evict pod@0", "outcome of 1, refused true@0", "evict pod@0", "outcome of 2, refused false@0", "evict pod@0", "outcome of 3, refused false@0",
	}))
}

func TestAnActThatIsNotKnownIsNotCarriedOut(t *testing.T) {
	r, _ := record(t, newWorld(t), history.KindPod)
	done := false
	err := r.Do(t.Context(), history.Stimulus{Act: "pull the plug"}, func(context.Context) error {
		done = true
		return nil
	})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("pull the plug")))
	NewWithT(t).Expect(done).To(BeFalse())
}

func TestEventObjectsAreEvidenceOutsideTheOrder(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	w.happens(watch.Added, history.KindEvent, "e")
	r, path := record(t, w, history.KindEvent, history.KindPod)
	g.Expect(r.Mark("poke")).To(Succeed())
	h := caughtUp(t, r, path)
	g.Expect(told(h)).To(Equal([]string{"poke@0"}))
	g.Expect(h.Evidence).To(HaveLen(1))
}

func TestAConditionThatPanicsLeavesTheRecordingUsable(t *testing.T) {
	g := NewWithT(t)
	r, path := record(t, newWorld(t), history.KindPod)
	g.Expect(func() { _ = r.Await(t.Context(), func(*history.Cluster) bool { panic("no such node") }) }).To(PanicWith("no such node"))
	g.Expect(r.Mark("poke")).To(Succeed())
	g.Expect(told(caughtUp(t, r, path))).To(Equal([]string{"poke@0"}))
}

func TestAClosedRecordingTakesNothingMore(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod)
	closed(t, r, path)
	g.Expect(r.Mark("late")).To(MatchError(recorder.ErrEnded))
	g.Expect(r.CatchUp(t.Context())).To(MatchError(recorder.ErrEnded))
	g.Expect(r.Await(t.Context(), func(*history.Cluster) bool { return false })).To(MatchError(recorder.ErrEnded))
	g.Expect(r.Close()).To(Succeed(), "the second time")
	g.Eventually(w.openWatches).Should(BeZero())
}

func TestAStartThatFailsLeavesNoWatch(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	w.refuse[history.KindPod] = forbidden()
	_, err := recorder.Start(t.Context(), recorder.Options{
		Sources: w.sources(history.KindNode, history.KindPod), Path: filepath.Join(t.TempDir(), "recording.jsonl"),
	})
	g.Expect(err).To(MatchError(SatisfyAll(ContainSubstring("watch Pod"), ContainSubstring("no rights"))))
	g.Eventually(w.openWatches).Should(BeZero())
}

func TestAStartEndsWithItsContextButTheRecordingDoesNot(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := recorder.Start(ctx, recorder.Options{Sources: w.sources(history.KindPod), Path: path})
	g.Expect(err).NotTo(HaveOccurred())
	cancel()
	w.happens(watch.Added, history.KindPod, "later")
	g.Expect(told(caughtUp(t, r, path))).To(Equal([]string{"ADDED Pod later@11"}))
}

func TestARecordingThatCannotBeWrittenSaysSoToWhoeverWaits(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this machine")
	}
	_, err := recorder.Start(t.Context(), recorder.Options{Sources: newWorld(t).sources(history.KindPod), Path: "/dev/full"})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("no space left")))
}

func TestARecordingCutInTheMiddleOfALineIsReadAndNotCaughtUp(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path := record(t, w, history.KindPod)
	w.happens(watch.Added, history.KindPod, "whole")
	w.happens(watch.Added, history.KindPod, "cut")
	seen(t, r, history.KindPod, "cut", true)
	// Not closed: what is on disk now is what SIGKILL leaves, but for the middle of a line.
	text, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	cut := filepath.Join(t.TempDir(), "cut.jsonl")
	g.Expect(os.WriteFile(cut, text[:strings.LastIndex(string(text), `"cut"`)], 0o600)).To(Succeed())
	h, err := history.Open(cut)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(told(h)).To(Equal([]string{"ADDED Pod whole@11"}))
	g.Expect(h.CaughtUp).To(BeFalse())
}

func TestMemoryDoesNotGrowWithTheEventsOfOneObject(t *testing.T) {
	g := NewWithT(t)
	feed := newFeed()
	r, err := recorder.Start(t.Context(), recorder.Options{
		Sources: []recorder.Source{{Kind: history.KindPod, ListerWatcher: feed}}, Path: filepath.Join(t.TempDir(), "recording.jsonl"),
	})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(r.Close()).To(Succeed()) })
	const size, events = 16 << 10, 2000
	send := func(from int) {
		for i := range events {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Name: "p", UID: "p", ResourceVersion: strconv.Itoa(from + i), Annotations: map[string]string{"big": strings.Repeat("x", size)},
			}}
			feed.events <- watch.Event{Type: watch.Modified, Object: pod}
		}
	}
	send(100)
	before := heap()
	send(100 + events)
	g.Expect(heap()).To(BeNumerically("<", before+size*events/8), "held after %d events more of %d bytes", events, size)
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
