package variants

import (
	"context"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenNamesAgain are of an author who knows the documents and the reference alone: each is right as long as numbers are small, names are not used again, and
// others say little.
func brokenNamesAgain() []Variant {
	namesakes := &namesakes{of: map[types.UID]plan.Controller{}}
	return []Variant{
		{Name: "takes-outdated-conditions-of-others-away",
			Says:   "Takes conditions of others away that say that they are of an earlier generation of the budget.",
			Breaks: []string{"PDB-031"}, Planner: reporting(withoutOutdatedConditions)},
		{Name: "lets-shares-of-large-scales-overflow",
			Says:   "Multiplies a percentage and the scale in 32 bits, where half of 50,000,000 comes out below zero.",
			Breaks: []string{"PDB-002", "PDB-004", "PDB-005"}, Planner: counting(shareIn32Bits)},
		{Name: "takes-a-new-deployment-for-the-one-that-is-gone",
			Says:   "Counts a ReplicaSet whose Deployment is gone as the Deployment that has the name now.",
			Breaks: []string{"PDB-007"}, Reconciler: namesakes.look, Planner: seeing(namesakes.takeOver)},
	}
}

// withoutOutdatedConditions keeps the conditions that are of this generation, or that do not say of which.
func withoutOutdatedConditions(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
	status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(condition metav1.Condition) bool {
		of := condition.ObservedGeneration
		return condition.Type != policyv1.DisruptionAllowedCondition && of > 0 && of < state.Budget.Generation
	})
}

// shareIn32Bits rounds a percentage of the scale up with the type that all numbers of the API have.
func shareIn32Bits(status *policyv1.PodDisruptionBudgetStatus, state plan.State) {
	spec, scale := state.Budget.Spec, status.ExpectedPods
	if percent, is := percentage(spec.MaxUnavailable); is {
		status.DesiredHealthy = max(0, scale-(percent*scale+99)/100)
		return
	}
	if percent, is := percentage(spec.MinAvailable); is {
		status.DesiredHealthy = max(0, (percent*scale+99)/100)
	}
}

// namesakes are Deployments that have the names of those that ReplicaSets say control them, and that are others.
type namesakes struct {
	mu sync.Mutex
	// of are the scales of the Deployments, by the UIDs of the ReplicaSets.
	of map[types.UID]plan.Controller
}

// look takes note of them before each pass.
func (n *namesakes) look(next reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		sets, deployments, err := replicaSetsAndDeployments(ctx, c, request.Namespace)
		if err != nil {
			return reconcile.Result{}, err
		}
		named := map[string]*appsv1.Deployment{}
		for i := range deployments {
			named[deployments[i].Name] = &deployments[i]
		}
		n.mu.Lock()
		for i := range sets {
			delete(n.of, sets[i].UID)
			above := metav1.GetControllerOfNoCopy(&sets[i])
			if above == nil || !isDeployment(above) {
				continue
			}
			if deployment := named[above.Name]; deployment != nil && deployment.UID != above.UID {
				n.of[sets[i].UID] = plan.Controller{UID: deployment.UID, Replicas: ptr.Deref(deployment.Spec.Replicas, 1)}
			}
		}
		n.mu.Unlock()
		return next.Reconcile(ctx, request)
	})
}

// takeOver shows their scales in the place of those of the ReplicaSets.
func (n *namesakes) takeOver(state *plan.State, _ time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
		if namesake, found := n.of[reference]; found && !c.Gone && c.Err == nil {
			return namesake
		}
		return c
	})
}
