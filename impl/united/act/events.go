package act

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

// report records an Event for each condition whose reason is another than in the status of united: kubectl describe shows what happened, and when. What is
// in order from the beginning is no news.
func (a *Actor) report(united *api.UnitedDaemonSet, conditions []metav1.Condition) {
	for _, condition := range conditions {
		before := meta.FindStatusCondition(united.Status.Conditions, condition.Type)
		if before == nil && inOrder(condition) || before != nil && before.Reason == condition.Reason {
			continue
		}
		kind := corev1.EventTypeNormal
		if !inOrder(condition) && condition.Type != api.Settled {
			kind = corev1.EventTypeWarning
		}
		a.Recorder.Eventf(united, nil, kind, condition.Reason, "Unite", "%s", condition.Message)
	}
}

// inOrder reports whether the condition's status is the one that users want.
func inOrder(condition metav1.Condition) bool {
	if condition.Type == api.Overlapping {
		return condition.Status == metav1.ConditionFalse
	}
	return condition.Status == metav1.ConditionTrue
}
