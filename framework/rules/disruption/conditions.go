package disruption

import (
	"fmt"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Condition is PDB-017.
func Condition() judge.Rule {
	rule := follows("PDB-017", "each status has a condition DisruptionAllowed that agrees with disruptionsAllowed and with observedGeneration, and no failure stays in it", field{
		applies: (*budget).alone,
		wrong: func(b *budget) string {
			if syncFailed(b.object) {
				return "reason SyncFailed of a budget that can be computed"
			}
			return ""
		},
	})
	rule.New = judge.Both(func(history.Header) judge.Observer {
		rule := writes(contradiction)
		rule.about = func(*statusWrite) bool { return true }
		return rule
	}, rule.New)
	return rule
}

// contradiction says in what the condition and the numbers differ.
func contradiction(w *statusWrite) string {
	status := w.after.Status
	condition := meta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
	want, reason := metav1.ConditionFalse, policyv1.InsufficientPodsReason
	if status.DisruptionsAllowed > 0 {
		want, reason = metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	switch {
	case condition == nil:
		return "no condition DisruptionAllowed"
	case condition.Status != want, condition.Reason != reason && (want == metav1.ConditionTrue || condition.Reason != policyv1.SyncFailedReason):
		return fmt.Sprintf("condition DisruptionAllowed %s, reason %s, beside disruptionsAllowed %d", condition.Status, condition.Reason, status.DisruptionsAllowed)
	case condition.ObservedGeneration != status.ObservedGeneration:
		return fmt.Sprintf("condition DisruptionAllowed of generation %d beside observedGeneration %d", condition.ObservedGeneration, status.ObservedGeneration)
	}
	return ""
}

// ForeignConditions is PDB-031.
func ForeignConditions() judge.Rule {
	return judge.Rule{
		Requirement: "PDB-031",
		Kind:        judge.Prohibition,
		Promise:     "conditions that others wrote stay as they are",
		Needs:       []history.Kind{history.KindPodDisruptionBudget},
		Situations:  situations(),
		New: func(history.Header) judge.Observer {
			own := ownConditions{}
			rule := writes(own.lost)
			rule.about = func(w *statusWrite) bool { return len(own.foreign(w)) > 0 }
			return rule
		},
	}
}

// ownConditions are the conditions of each budget, other than DisruptionAllowed, as the implementation has written them.
type ownConditions map[types.UID]map[string]metav1.Condition

// foreign are those that the write finds and that somebody else wrote last.
func (o ownConditions) foreign(w *statusWrite) []metav1.Condition {
	return slices.DeleteFunc(others(w.before), func(was metav1.Condition) bool { return o[w.before.UID][was.Type] == was })
}

// lost names a condition of somebody else's that the write changes or takes away, and takes note of what else it changes.
func (o ownConditions) lost(w *statusWrite) string {
	for _, was := range o.foreign(w) {
		is := meta.FindStatusCondition(w.after.Status.Conditions, was.Type)
		switch {
		case is == nil:
			return "condition " + was.Type + " taken away"
		case *is != was:
			return "condition " + was.Type + " changed"
		}
	}
	if o[w.after.UID] == nil {
		o[w.after.UID] = map[string]metav1.Condition{}
	}
	for _, is := range others(w.after) {
		if was := meta.FindStatusCondition(w.before.Status.Conditions, is.Type); was == nil || *was != is {
			o[w.after.UID][is.Type] = is
		}
	}
	return ""
}

// others are the conditions of the status that no controller of budgets has to write.
func others(object *policyv1.PodDisruptionBudget) []metav1.Condition {
	var conditions []metav1.Condition
	for _, condition := range object.Status.Conditions {
		if condition.Type != policyv1.DisruptionAllowedCondition {
			conditions = append(conditions, condition)
		}
	}
	return conditions
}
