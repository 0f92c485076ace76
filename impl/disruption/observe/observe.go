// Package observe turns what the caches hold about one PodDisruptionBudget into a plain plan.State, and asks the API server for what no cache holds: the
// scales of custom resources. It only reads.
package observe

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// Observer reads the state of budgets. All fields are required.
type Observer struct {
	// Cache holds pods, budgets and the built-in workloads, with the index that Index registers.
	Cache client.Reader
	// Scales reads the scales that Cache does not hold.
	Scales Scales
}

// Observe returns what is known about the budget named key. The error is the API's NotFound if there is no such budget. What is in the result is shared with
// the cache and must not be changed.
func (o *Observer) Observe(ctx context.Context, key types.NamespacedName) (plan.State, error) {
	budget := &policyv1.PodDisruptionBudget{}
	if err := o.Cache.Get(ctx, key, budget); err != nil {
		return plan.State{}, fmt.Errorf("read PodDisruptionBudget %s: %w", key, err)
	}
	var pods corev1.PodList
	if err := o.Cache.List(ctx, &pods, append(candidates(budget), client.UnsafeDisableDeepCopy)...); err != nil {
		return plan.State{}, fmt.Errorf("list the pods of namespace %s: %w", key.Namespace, err)
	}
	state := plan.State{Budget: budget}
	for i := range pods.Items {
		state.Pods = append(state.Pods, &pods.Items[i])
	}
	state.Controllers = o.controllers(ctx, state)
	return state, nil
}

// controllers finds the scales behind the selected pods, each once, if the budget needs them.
func (o *Observer) controllers(ctx context.Context, state plan.State) map[types.UID]plan.Controller {
	if !plan.NeedsScale(state.Budget) {
		return nil
	}
	// A selector that is not valid selects nothing.
	selected, _ := plan.Selected(state.Budget, state.Pods)
	found := map[types.UID]plan.Controller{}
	for _, pod := range selected {
		reference := metav1.GetControllerOfNoCopy(pod)
		if reference == nil {
			continue
		}
		if _, known := found[reference.UID]; !known {
			found[reference.UID] = o.controller(ctx, state.Budget.Namespace, reference)
		}
	}
	return found
}
