package implementation

import (
	"errors"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// What kube-controller-manager calls its controllers.
const (
	disruptionController  = "disruption-controller"
	statefulSetController = "statefulset-controller"
)

// answersForItsClaims refuses claims whose verdicts would be about kube-controller-manager's work and not about the implementation's.
func (i *Implementation) answersForItsClaims() error {
	launched := i.Launch.Process != nil || i.Launch.Image != nil
	switch {
	case i.Claims(requirements.Eviction) && !i.Claims(requirements.DisruptionBudget):
		return errors.New("spec.features has Eviction without DisruptionBudget: the API server evicts by what the status of budgets says, " +
			"so only who computes budgets answers for evictions; claim both or neither")
	case launched && i.Claims(requirements.DisruptionBudget) && !slices.Contains(i.Replaces, disruptionController):
		return errors.New("spec.features has DisruptionBudget, but spec.replaces has no " + disruptionController +
			": kube-controller-manager would go on computing the budgets; replace it, or claim neither DisruptionBudget nor Eviction")
	case launched && i.Claims(requirements.StatefulSetInPlace) && !slices.Contains(i.Replaces, statefulSetController):
		return errors.New("spec.features has StatefulSetInPlace, but spec.replaces has no " + statefulSetController +
			": kube-controller-manager would go on recreating the pods; replace it, or do not claim StatefulSetInPlace")
	}
	return nil
}
