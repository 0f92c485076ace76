package disruption

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// bound is how long a status may be wrong after what it has to say has changed. The documents give no bound.
const bound = judge.Lag + judge.Prompt

// field is a part of a budget's status that has to follow the state.
type field struct {
	// applies reports whether the promise is about the budget as it is.
	applies func(*budget) bool
	// wrong says what is wrong with the status, or nothing.
	wrong func(*budget) string
}

// follows is the rule that the field comes right promptly, whenever what it has to say has changed. A rule of one about budgets that share their pods with
// others, or about pods that are selected no more, comes before those of the rest, which say nothing about either.
func follows(id requirements.ID, promise string, f field, needs ...history.Kind) judge.Rule {
	return judge.Rule{
		Requirement: id,
		Kind:        judge.Obligation,
		Promise:     promise,
		Needs:       append([]history.Kind{history.KindPod, history.KindPodDisruptionBudget}, needs...),
		Situations:  situations(),
		New: func(header history.Header) judge.Observer {
			return &following{field: f, ledger: newLedger(), pending: map[types.UID]*owed{}, anotherAPI: header.Workload != ""}
		},
	}
}

// following follows one field of all budgets.
type following struct {
	judge.Exercise
	field
	*ledger
	pending map[types.UID]*owed
	// anotherAPI: what the recording shows as DaemonSets is something else, which may have a scale.
	anotherAPI bool
}

// owed is a status that is not right yet.
type owed struct {
	asked string
	since time.Time
	got   string
	// broken: it was reported.
	broken bool
}

// Observe implements judge.Observer.
func (f *following) Observe(s *judge.Scene) []judge.Violation {
	wrote := f.see(s)
	for uid := range f.pending {
		if f.budgets[uid] == nil {
			delete(f.pending, uid)
		}
	}
	for uid, b := range f.budgets {
		if b.forged || b.unprompted || !f.applies(b) || f.anotherAPI && len(b.Unscaled) > 0 {
			delete(f.pending, uid)
			continue
		}
		got, known := f.wrong(b), f.pending[uid]
		switch {
		case got == "":
			delete(f.pending, uid)
			if wrote != nil && wrote.budget == b {
				f.PutToTest()
			}
		case known == nil || known.asked != b.asked:
			f.pending[uid] = &owed{asked: b.asked, since: s.Now, got: got}
		default:
			known.got = got
		}
	}
	return nil
}

// Elapse implements judge.Timed.
func (f *following) Elapse(s *judge.Scene, next time.Time) []judge.Violation {
	var violations []judge.Violation
	if s.Interrupted() {
		return nil
	}
	for uid, owed := range f.pending {
		if working := s.WorkingSince(); working.After(owed.since) {
			owed.since = working
		}
		deadline := s.Answered(owed.since, bound)
		if owed.broken || !deadline.Before(next) {
			continue
		}
		if waiting := s.Waiting(owed.since, deadline); waiting != nil {
			f.Doubt(waiting)
			if deadline = s.Allowed(owed.since, bound); !deadline.Before(next) {
				continue
			}
		}
		owed.broken = true
		f.PutToTest()
		b := f.budgets[uid]
		violations = append(violations, judge.Violation{
			Time: deadline, Got: fmt.Sprintf("PodDisruptionBudget %s: %s for %s", b.object.Name, owed.got, bound), Before: b.before, After: b.now(), Window: slices.Clone(b.trail),
		})
	}
	slices.SortFunc(violations, func(a, b judge.Violation) int { return strings.Compare(a.Got, b.Got) })
	return violations
}

// told reports whether the budget's numbers can be told. Where a pod on its way out has a controller without a scale, a budget that allows nothing may have failed.
func (b *budget) told() bool {
	return b.Computable() && (!b.Unsettled || b.object.Status.DisruptionsAllowed > 0)
}

// alone reports whether the budget's numbers can be told, and are no other rule's business.
func (b *budget) alone() bool { return b.told() && !b.shared && !b.relabelled }

// differs says that a number of the status is none of those that are right, or nothing.
func (b *budget) differs(name string, number func(history.Tally) int32) string {
	got := number(history.TallyOf(b.object.Status))
	var want []string
	for _, tally := range b.Tallies {
		if number(tally) == got {
			return ""
		}
		if text := fmt.Sprint(number(tally)); !slices.Contains(want, text) {
			want = append(want, text)
		}
	}
	return fmt.Sprintf("%s %d, want %s,", name, got, strings.Join(want, " or "))
}

func expected(t history.Tally) int32 { return t.Expected }
func desired(t history.Tally) int32  { return t.Desired }
func healthy(t history.Tally) int32  { return t.Healthy }
func allowed(t history.Tally) int32  { return t.Allowed }

// tallied says in what the status differs from the tallies, or nothing.
func (b *budget) tallied() string {
	if slices.Contains(b.Tallies, history.TallyOf(b.object.Status)) {
		return ""
	}
	for _, number := range []struct {
		name string
		of   func(history.Tally) int32
	}{{"disruptionsAllowed", allowed}, {"currentHealthy", healthy}, {"desiredHealthy", desired}, {"expectedPods", expected}} {
		if got := b.differs(number.name, number.of); got != "" {
			return got
		}
	}
	return "numbers that do not belong together"
}
