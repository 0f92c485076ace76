// Package observe turns what the caches hold about one PodDisruptionBudget into a plain plan.State, and asks the API server for what no cache holds: the
// scales of custom resources, and whether the pod of an eviction is gone. It only reads.
package observe

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// Observer reads the state of budgets. All fields are required.
type Observer struct {
	// Cache holds pods, budgets and the built-in workloads.
	Cache client.Reader
	// Live reads past every cache.
	Live client.Reader
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
	if err := o.Cache.List(ctx, &pods, client.InNamespace(key.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return plan.State{}, fmt.Errorf("list the pods of namespace %s: %w", key.Namespace, err)
	}
	state := plan.State{Budget: budget}
	for i := range pods.Items {
		state.Pods = append(state.Pods, &pods.Items[i])
	}
	state.Gone = o.gone(ctx, state)
	state.Controllers = o.controllers(ctx, state)
	return state, nil
}

// gone returns the names in disruptedPods of which neither the cache nor the API server has a pod. The cache alone does not do: it may not show the pod yet,
// which would count as healthy then although it is about to be deleted. One that cannot be asked about may be there.
func (o *Observer) gone(ctx context.Context, state plan.State) map[string]bool {
	entries := state.Budget.Status.DisruptedPods
	if len(entries) == 0 {
		return nil
	}
	missing := make(map[string]bool, len(entries))
	for name := range entries {
		missing[name] = true
	}
	for _, pod := range state.Pods {
		delete(missing, pod.Name)
	}
	for name := range missing {
		pod := &metav1.PartialObjectMetadata{}
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		err := o.Live.Get(ctx, types.NamespacedName{Namespace: state.Budget.Namespace, Name: name}, pod)
		if client.IgnoreNotFound(err) != nil {
			log.FromContext(ctx).Error(err, "Look for the pod of an eviction", "pod", name)
		}
		missing[name] = apierrors.IsNotFound(err)
	}
	return missing
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
