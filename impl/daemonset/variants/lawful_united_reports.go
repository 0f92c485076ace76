package variants

import (
	"slices"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// lawfulUnitedReports say of UnitedDaemonSets what the reference says, otherwise.
func lawfulUnitedReports() []Variant {
	return []Variant{
		{Name: "united-says-all-in-one-condition", Says: "Has one condition Ready in the place of those of the reference, whose message has all that theirs say of what is not as users want it.",
			Lawful: "UNITED-024, UNITED-036, UNITED-037 and UNITED-038 ask for a condition, or a condition or an event, of no type, that names the cause.",
			United: uniting(sayInOne)},
	}
}

// sayInOne puts the conditions of the reference into one.
func sayInOne(actions *plan.Actions, state plan.State) {
	if actions.Status == nil {
		return
	}
	theirs := []string{api.Effective, api.SubsetsValid, api.Overlapping, api.Settled}
	all := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "AllIsWell", ObservedGeneration: actions.Status.ObservedGeneration}
	var words []string
	for _, kind := range theirs {
		condition := meta.FindStatusCondition(actions.Status.Conditions, kind)
		if condition == nil {
			continue
		}
		all.LastTransitionTime = condition.LastTransitionTime
		overlaps := kind == api.Overlapping
		if (condition.Status == metav1.ConditionTrue) != overlaps {
			continue
		}
		words = append(words, condition.Message)
		// Nodes that several subsets select are none to be repaired.
		if !overlaps && all.Status == metav1.ConditionTrue {
			all.Status, all.Reason = metav1.ConditionFalse, condition.Reason
		}
	}
	all.Message = strings.Join(words, "; ")
	status := actions.Status.DeepCopy()
	status.Conditions = slices.DeleteFunc(status.Conditions, func(condition metav1.Condition) bool { return slices.Contains(theirs, condition.Type) })
	meta.SetStatusCondition(&status.Conditions, all)
	actions.Status = nil
	if !apiequality.Semantic.DeepEqual(&state.United.Status, status) {
		actions.Status = status
	}
}
