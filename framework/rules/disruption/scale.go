package disruption

import (
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Unscaled is PDB-020, of pods of DaemonSets, Jobs and Nodes. It says nothing of the other numbers, nor of the generation that is observed.
func Unscaled() judge.Rule {
	return follows("PDB-020", "pods whose controller has no scale promptly make a budget that needs it allow 0, with the reason SyncFailed", field{
		applies: func(b *budget) bool { return b.NeedsScale && len(b.Unscaled) > 0 && !b.relabelled && !b.shared },
		wrong: func(b *budget) string {
			condition := meta.FindStatusCondition(b.object.Status.Conditions, policyv1.DisruptionAllowedCondition)
			switch {
			case b.object.Status.DisruptionsAllowed != 0:
				return fmt.Sprintf("disruptionsAllowed %d, want 0,", b.object.Status.DisruptionsAllowed)
			case condition == nil:
				return "no condition DisruptionAllowed"
			case condition.Status != metav1.ConditionFalse || condition.Reason != policyv1.SyncFailedReason || condition.Message == "":
				return fmt.Sprintf("condition DisruptionAllowed %s, reason %s, message %q", condition.Status, condition.Reason, condition.Message)
			}
			return ""
		},
	}, history.KindDaemonSet)
}

// Unmanaged is PDB-022.
func Unmanaged() judge.Rule {
	return follows("PDB-022", "a pod without a controller promptly makes a budget that needs a scale allow 0", field{
		applies: func(b *budget) bool { return b.NeedsScale && len(b.Unmanaged) > 0 && !b.relabelled && !b.shared },
		wrong: func(b *budget) string {
			if b.object.Status.DisruptionsAllowed == 0 {
				return ""
			}
			return fmt.Sprintf("disruptionsAllowed %d, want 0,", b.object.Status.DisruptionsAllowed)
		},
	})
}

// Mixed is PDB-023.
func Mixed() judge.Rule {
	return follows("PDB-023", "pods without a controller do not make a budget allow more than it does for those that have one", field{
		applies: func(b *budget) bool {
			_, known := b.managed()
			return b.NeedsScale && len(b.Unmanaged) > 0 && known && !b.relabelled && !b.shared
		},
		wrong: func(b *budget) string {
			most, _ := b.managed()
			if b.object.Status.DisruptionsAllowed <= most {
				return ""
			}
			return fmt.Sprintf("disruptionsAllowed %d, want at most %d,", b.object.Status.DisruptionsAllowed, most)
		},
	})
}

// managed is what the budget would allow for the pods that have a controller, false if that cannot be told.
func (b *budget) managed() (most int32, known bool) {
	for _, tally := range b.Managed {
		most = max(most, tally.Allowed)
	}
	return most, len(b.Managed) > 0
}

// syncFailed reports whether the status says that it could not be computed.
func syncFailed(object *policyv1.PodDisruptionBudget) bool {
	condition := meta.FindStatusCondition(object.Status.Conditions, policyv1.DisruptionAllowedCondition)
	return condition != nil && condition.Reason == policyv1.SyncFailedReason
}
