package variants

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenReferences are right about owner references as the API server of today makes them.
func brokenReferences() []Variant {
	return []Variant{
		{Name: "knows-no-former-group", Says: "Takes a ReplicaSet for an object of a kind without a scale that a pod names by the group that it once was in.",
			Breaks: []string{"PDB-007"}, Planner: seeing(forgetFormerGroup)},
	}
}

func forgetFormerGroup(state *plan.State, _ time.Time) {
	former := map[types.UID]error{}
	for _, pod := range selected(*state) {
		if controller := metav1.GetControllerOfNoCopy(pod); controller != nil && strings.HasPrefix(controller.APIVersion, "extensions/") {
			former[controller.UID] = fmt.Errorf("%s of %s is no kind that the API server has", controller.Kind, controller.APIVersion)
		}
	}
	changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
		if err := former[reference]; err != nil {
			return plan.Controller{UID: reference, Err: err}
		}
		return c
	})
}
