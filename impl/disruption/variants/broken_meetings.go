package variants

import (
	"strings"
	"sync"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenMeetings are right in every situation by itself. They go wrong where two meet, or where one lasts.
func brokenMeetings() []Variant {
	return []Variant{
		{Name: "wakes-for-scales-instead-of-evictions",
			Says:   "Looks again in a minute where it reads a scale that nothing tells the changes of, also where an eviction is two minutes old before that.",
			Breaks: []string{"PDB-015"}, Planner: doing(wakeForScales)},
		{Name: "allows-no-more-while-an-eviction-is-under-way",
			Says:   "Allows no more disruptions than the status says as long as a pod is listed in disruptedPods, whatever else has changed.",
			Breaks: []string{"PDB-001", "PDB-026", "PDBAPI-003"}, Planner: reporting(raiseNothingMeanwhile)},
		{Name: "shares-custom-scales-between-namespaces",
			Says:   "Takes the scale of a custom resource that another budget has read within ten seconds, also that of one of the same name in another namespace.",
			Breaks: []string{"PDB-008"}, Planner: shareScales},
	}
}

// wakeForScales sets the time of the next pass for a scale last, over that for an eviction.
func wakeForScales(actions *plan.Actions, state plan.State, _ time.Time) {
	for _, pod := range selected(state) {
		reference := metav1.GetControllerOfNoCopy(pod)
		if reference == nil {
			continue
		}
		if controller, known := state.Controllers[reference.UID]; known && controller.Polled && controller.Err == nil && !controller.Gone {
			actions.RequeueAfter = plan.ScaleRecheck
		}
	}
}

// raiseNothingMeanwhile is careful not to give back what the API server has taken for an eviction.
func raiseNothingMeanwhile(status *policyv1.PodDisruptionBudgetStatus, state plan.State, now time.Time) {
	stored := &state.Budget.Status
	if failed(status) || len(status.DisruptedPods) == 0 || status.DisruptionsAllowed <= stored.DisruptionsAllowed {
		return
	}
	status.DisruptionsAllowed = stored.DisruptionsAllowed
	agree(status, now)
	before := apimeta.FindStatusCondition(stored.Conditions, policyv1.DisruptionAllowedCondition)
	is := apimeta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
	if before != nil && is != nil && before.Status == is.Status {
		is.LastTransitionTime = before.LastTransitionTime
	}
}

// sharedScale is a scale as a budget has read it.
type sharedScale struct {
	by       types.UID
	replicas int32
	at       time.Time
}

// sharedScaleLasts is how long the reading of one budget does for others. A budget never does with its own.
const sharedScaleLasts = 10 * time.Second

// shareScales spares the API server the readings of several budgets over one resource. The readings are known by what pods call their controllers.
func shareScales(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	reads := map[string]sharedScale{}
	return seeing(func(state *plan.State, now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		shared := map[types.UID]int32{}
		for _, pod := range selected(*state) {
			reference := metav1.GetControllerOfNoCopy(pod)
			if reference == nil || reference.APIVersion == "v1" || strings.HasPrefix(reference.APIVersion, "apps/") {
				continue
			}
			controller, known := state.Controllers[reference.UID]
			if !known || !controller.Polled || controller.Err != nil || controller.Gone {
				continue
			}
			key := reference.APIVersion + "/" + reference.Kind + "/" + reference.Name
			read, found := reads[key]
			if found && read.by != state.Budget.UID && now.Sub(read.at) < sharedScaleLasts {
				shared[reference.UID] = read.replicas
				continue
			}
			reads[key] = sharedScale{by: state.Budget.UID, replicas: controller.Replicas, at: now}
		}
		changeControllers(state, func(reference types.UID, controller plan.Controller) plan.Controller {
			if replicas, is := shared[reference]; is {
				controller.Replicas = replicas
			}
			return controller
		})
	})(next)
}
