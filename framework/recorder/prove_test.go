package recorder_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// passively records without marks, and shows what it was told.
func passively(t *testing.T, w *world, wants func(before, now history.Object) bool) (r *recorder.Recorder, path string, entries *[]string) {
	t.Helper()
	sources := w.sources(history.KindPod, history.KindNode)
	for i := range sources {
		sources[i].Mark, sources[i].Wants = nil, wants
	}
	path, entries = filepath.Join(t.TempDir(), "recording.jsonl"), &[]string{}
	r, err := recorder.Start(t.Context(), recorder.Options{Sources: sources, Path: path, Seal: true, OnEntry: func(entry history.Entry) {
		*entries = append(*entries, entry.Object.GetName())
	}})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = r.Close() })
	return r, path, entries
}

func TestARecordingIsProvenCompleteWithoutWritingAnything(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path, entries := passively(t, w, nil)
	w.happens(watch.Added, history.KindPod, "a")
	newest := w.happens(watch.Added, history.KindPod, "b")
	before := time.Now()
	horizon, at, err := r.Prove(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(horizon).To(Equal(newest))
	g.Expect(at).To(BeTemporally("~", before, time.Minute))
	w.happens(watch.Added, history.KindNode, "c")
	h := caughtUp(t, r, path)
	g.Expect(told(h)).To(Equal([]string{"ADDED Pod a@11", "ADDED Pod b@12", "ADDED Node c@13"}), "each once, though two watches bring it")
	g.Expect(*entries).To(ConsistOf("a", "b", "c"))
	g.Expect(h.Damage).To(BeEmpty(), "it is sealed")
	g.Expect(r.Proven()).To(BeEquivalentTo(13))
	g.Expect(w.marksOf(history.KindPod) + w.marksOf(history.KindNode)).To(BeZero())
}

func TestWhatNoWatchBringsIsNotProven(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, _, _ := passively(t, w, nil)
	w.hold(history.KindNode)
	w.happens(watch.Added, history.KindPod, "a")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("long enough"))
	defer cancel()
	_, _, err := r.Prove(ctx)
	g.Expect(err).To(MatchError(And(ContainSubstring("prove the recording complete up to resourceVersion 11"), ContainSubstring("Node is at resourceVersion 10"))))
}

func TestOnlyWhatIsWantedIsRecordedAndItsEndAlways(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	r, path, _ := passively(t, w, func(before, now history.Object) bool { return before == nil && now.GetName() == "wanted" })
	for _, name := range []string{"wanted", "other"} {
		for _, event := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
			w.happens(event, history.KindPod, name)
		}
	}
	g.Expect(told(caughtUp(t, r, path))).To(Equal([]string{"ADDED Pod wanted@11", "DELETED Pod wanted@13"}))
}
