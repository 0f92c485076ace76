package disruption

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// Follows is PDB-026: the status was not written since it would have had to be, or is wrong in a number that the rule of the budget's limit does not ask for.
func Follows() judge.Rule {
	return follows("PDB-026", "a status that no longer fits the pods and the budget is promptly written", field{
		applies: (*budget).alone,
		wrong: func(b *budget) string {
			if b.written && (is(b.object.Spec.MinAvailable, intstr.Int) || b.differs("desiredHealthy", desired) != "" || b.differs("expectedPods", expected) != "") {
				return ""
			}
			return b.tallied()
		},
	})
}

// Relabelled is PDB-027.
func Relabelled() judge.Rule {
	return follows("PDB-027", "the status promptly follows when a pod is relabelled so that the budget no longer selects it", field{
		applies: func(b *budget) bool { return b.told() && b.relabelled },
		wrong:   (*budget).tallied,
	})
}

// Shared is PDB-028.
func Shared() judge.Rule {
	return follows("PDB-028", "the status of each of several budgets that select a pod promptly follows", field{
		applies: func(b *budget) bool { return b.told() && b.shared && !b.relabelled },
		wrong:   (*budget).tallied,
	})
}

// Observed is PDB-011.
func Observed() judge.Rule {
	rule := follows("PDB-011", "observedGeneration promptly reaches the generation, and the numbers beside it are of that generation's spec", field{
		applies: (*budget).alone,
		wrong: func(b *budget) string {
			if got, want := b.object.Status.ObservedGeneration, b.object.Generation; got < want {
				return fmt.Sprintf("observedGeneration %d of generation %d", got, want)
			}
			return ""
		},
	})
	rule.New = judge.Both(func(history.Header) judge.Observer { return writes(otherGeneration) }, rule.New)
	return rule
}

// otherGeneration says what of a status contradicts the generation that it claims to be of: what is desired follows from that generation's limit and from what is
// expected. A budget without a limit desires nothing (PDBAPI-015).
func otherGeneration(w *statusWrite) string {
	status, spec := w.after.Status, w.after.Spec
	switch {
	case status.ObservedGeneration > w.after.Generation:
		return fmt.Sprintf("observedGeneration %d of generation %d", status.ObservedGeneration, w.after.Generation)
	case status.ObservedGeneration < w.after.Generation || syncFailed(w.after) || spec.MinAvailable == nil && spec.MaxUnavailable == nil:
		return ""
	}
	if desired, err := history.DesiredHealthy(w.after, int(status.ExpectedPods)); err == nil && desired != int(status.DesiredHealthy) {
		return fmt.Sprintf("observedGeneration %d, whose limit makes it %d desired of %d expected, beside desiredHealthy %d",
			status.ObservedGeneration, desired, status.ExpectedPods, status.DesiredHealthy)
	}
	return ""
}

// written is the part of a rule that forbids statuses.
type written struct {
	judge.Exercise
	*ledger
	promise func(*statusWrite) string
	// about reports whether the status puts the promise to the test; nil if a promise that is not broken was not tested either.
	about func(*statusWrite) bool
}

// writes judges each status that the implementation writes. The promise says what is wrong with it, or nothing.
func writes(promise func(*statusWrite) string) *written {
	return &written{ledger: newLedger(), promise: promise}
}

// Observe implements judge.Observer.
func (o *written) Observe(s *judge.Scene) []judge.Violation {
	wrote := o.see(s)
	if wrote == nil {
		return nil
	}
	if o.about != nil && o.about(wrote) {
		o.PutToTest()
	}
	got := o.promise(wrote)
	if got == "" {
		return nil
	}
	o.PutToTest()
	return []judge.Violation{{
		Got:    fmt.Sprintf("PodDisruptionBudget %s: %s", wrote.after.Name, got),
		Before: state.BudgetNumbers(wrote.before.Status), After: state.BudgetNumbers(wrote.after.Status), Window: slices.Clone(wrote.trail),
	}}
}
