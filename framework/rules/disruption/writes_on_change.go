package disruption

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// WritesOnChange is PDB-024, of writes that leave a trace. Those that change nothing at all are the audit log's to tell.
func WritesOnChange() judge.Rule {
	return judge.Rule{
		Requirement: "PDB-024",
		Kind:        judge.Prohibition,
		Promise:     "a status is written only when something in it has changed, and not for its timestamps alone",
		Needs:       []history.Kind{history.KindPodDisruptionBudget},
		Situations:  situations(),
		New: func(history.Header) judge.Observer {
			rule := writes(nothingNew)
			rule.about = func(*statusWrite) bool { return true }
			return rule
		},
	}
}

// nothingNew says that the write changes nothing but timestamps.
func nothingNew(w *statusWrite) string {
	if equality.Semantic.DeepEqual(untimed(w.before), untimed(w.after)) {
		return "written again as it was, but for timestamps of conditions"
	}
	return ""
}

func untimed(object *policyv1.PodDisruptionBudget) policyv1.PodDisruptionBudgetStatus {
	status := object.Status.DeepCopy()
	for i := range status.Conditions {
		status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	return *status
}
