package status

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// StatusObserved is STATUS-010; what numbers were computed from is judged by those of the updated pods.
func StatusObserved() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-010",
		Kind:        judge.Obligation,
		Promise:     "observedGeneration reaches the generation, is never one that does not exist, and comes with numbers of its spec",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindPod},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Relimited(), situation.Retimed(), situation.Restarted(), situation.OnDelete()},
		New: judge.Both(
			judge.Both(
				func(history.Header) judge.Observer { return &existing{} },
				func(header history.Header) judge.Observer {
					return &computed{label: header.RevisionLabel, updated: map[types.UID]*updatedNodes{}}
				}),
			judge.DueOnDaemonSets(observed)),
	}
}

// observed is the condition that the newest generation is not observed.
func observed(_ *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
	got, want := w.Object.Status.ObservedGeneration, w.Object.Generation
	return judge.Due{
		About:  strconv.FormatInt(want, 10),
		Extra:  settling,
		Undone: fmt.Sprintf("observedGeneration %d of generation %d", got, want),
		Done:   func(s *judge.Scene) bool { return s.Status != nil && s.Status.Workload == w },
	}, got < want
}

// existing is the part that forbids.
type existing struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *existing) Observe(s *judge.Scene) []judge.Violation {
	if s.Status == nil {
		return nil
	}
	after := s.Status.After
	if after.Status.ObservedGeneration <= after.Generation {
		return nil
	}
	return []judge.Violation{{
		Got:    fmt.Sprintf("observedGeneration %d of generation %d", after.Status.ObservedGeneration, after.Generation),
		Before: judge.StatusNumbers(s.Status.Before.Status), After: judge.StatusNumbers(after.Status), Window: s.ThisEntry(),
	}}
}
