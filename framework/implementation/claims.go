package implementation

import (
	"errors"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// disruptionController is what kube-controller-manager calls its disruption controller.
const disruptionController = "disruption-controller"

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
	}
	return nil
}
