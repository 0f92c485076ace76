package suites_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/passive"
)

// observed makes of a golden recording what somebody would have recorded who only watched: what rollcall did is others' doing, and nobody says so. It returns the
// authors of the entries, by the audit log, and false for a recording of a controller with another feature gate, which nobody would see.
func observed(h *history.History) (authors []*history.Author, seen bool) {
	var entries []history.Entry
	for _, entry := range h.Entries {
		if entry.Stimulus != nil && len(entry.Stimulus.Gates) > 0 {
			return nil, false
		}
		if entry.Object != nil {
			entries, authors = append(entries, entry), append(authors, entry.Author)
		}
	}
	h.Entries, h.Watched = entries, []string{"*/*"}
	return authors, true
}

// eachObserved judges the golden recordings as those of somebody who only watched: see observed.
func eachObserved(t *testing.T, judge func(name string, h *history.History, authors []*history.Author)) {
	t.Helper()
	eachOf(t, "*", func(name string, h *history.History) (none struct{}) {
		if authors, seen := observed(h); seen {
			judge(name, h, authors)
		}
		return none
	})
}

// TestAWatchOfTheSuitesRaisesNoFalseAlarm judges the golden recordings of lawful controllers as those of a watch, in which rollcall is one more user of the cluster
// that nobody knows, and compares whose acts it takes to be the controller's with the audit log.
func TestAWatchOfTheSuitesRaisesNoFalseAlarm(t *testing.T) {
	var attributed, unknown, broken atomic.Int64
	eachObserved(t, func(name string, h *history.History, authors []*history.Author) {
		violations := passive.Judge(h).Violations()
		if strings.HasPrefix(name, "reference") || strings.HasPrefix(name, "lawful") {
			for _, violation := range violations {
				t.Errorf("%s: %v", name, violation)
			}
		} else if strings.HasPrefix(name, "broken") {
			broken.Add(int64(len(violations)))
		}
		for i, entry := range h.Entries {
			if _, pod := entry.Object.(*corev1.Pod); !pod || authors[i] == nil {
				continue
			}
			// Where kube-controller-manager has the DaemonSets it is their controller, and nobody who only watches takes it for another.
			switch known := authors[i].Who == history.Implementation || authors[i].Who == history.DaemonSetController; {
			case entry.Author.Who == history.Implementation && !known:
				t.Errorf("%s: resourceVersion %d is taken for the controller's, and was made by %s", name, entry.ResourceVersion, authors[i].User)
			case entry.Author.Who == history.Implementation:
				attributed.Add(1)
			case known:
				unknown.Add(1)
			}
		}
	})
	t.Logf("%d acts on pods are known to be the controller's, %d more are, and %d violations of broken controllers are seen", attributed.Load(), unknown.Load(), broken.Load())
	if attributed.Load() == 0 || broken.Load() == 0 {
		t.Error("nothing was put to the test")
	}
}

// cuts is how many later beginnings of each recording are tried.
const cuts = 6

// TestAWatchThatBeganLaterRaisesNoFalseAlarm judges what is left of each golden recording when its beginning is forgotten: it shows nothing broken that the whole
// does not show. Whose acts they were is known from the audit log, so that more is judged than a watch could.
func TestAWatchThatBeganLaterRaisesNoFalseAlarm(t *testing.T) {
	var before, after atomic.Int64
	eachObserved(t, func(name string, h *history.History, _ []*history.Author) {
		whole := passive.JudgeAttributed(h).Violations()
		for n := 1; n < len(h.Entries); n += 1 + len(h.Entries)/cuts {
			later, err := historytest.Later(h, n)
			if err != nil {
				t.Error(err)
				return
			}
			still := passive.JudgeAttributed(later).Violations()
			for _, v := range still {
				if !slices.ContainsFunc(whole, func(other judge.Violation) bool { return sameBreak(v, other) }) {
					t.Errorf("%s, begun at %s behind %d entries: %v", name, later.Start, n, v)
				}
			}
			for _, v := range whole {
				if v.Time.Sub(later.Start) > judge.Lag {
					before.Add(1)
				}
			}
			for _, v := range still {
				if v.Time.Sub(later.Start) > judge.Lag {
					after.Add(1)
				}
			}
		}
	})
	t.Logf("of %d violations of broken controllers %d are still seen where the recording begins more than %s before them", before.Load(), after.Load(), judge.Lag)
	if after.Load() == 0 {
		t.Error("nothing was put to the test")
	}
}

// sameBreak: what lasts too long is found later if the beginning is forgotten.
func sameBreak(a, b judge.Violation) bool {
	return a.Requirement == b.Requirement && a.Node == b.Node
}
