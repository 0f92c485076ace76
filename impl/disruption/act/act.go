// Package act carries out what package plan decided about a PodDisruptionBudget or about a pod's condition. It is the only part of the controller
// that writes, and it decides nothing.
package act

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// Actor carries out plans. All fields are required; one Actor serves any number of budgets at once.
type Actor struct {
	// Client writes statuses.
	Client client.StatusClient
	// Recorder records events on budgets and pods.
	Recorder events.EventRecorder
}

// Do carries out actions for budget, which is that of the State that they were planned from. The status is written over the resourceVersion of budget and
// over no other: an eviction that was granted meanwhile has taken from disruptionsAllowed what must not be given back (EVICT-014).
func (a *Actor) Do(ctx context.Context, budget *policyv1.PodDisruptionBudget, actions plan.Actions) error {
	if actions.Status == nil {
		return nil
	}
	written := budget.DeepCopy()
	written.Status = *actions.Status
	if err := a.Client.Status().Update(ctx, written); err != nil {
		return classify(fmt.Errorf("write the status of PodDisruptionBudget %s/%s: %w", budget.Namespace, budget.Name, err))
	}
	for _, event := range actions.Events {
		a.record(budget, event)
	}
	return nil
}

func (a *Actor) record(budget *policyv1.PodDisruptionBudget, event plan.Event) {
	if event.Pod != nil {
		a.Recorder.Eventf(event.Pod, budget, event.Type, event.Reason, "Count", "%s", event.Message)
		return
	}
	a.Recorder.Eventf(budget, nil, event.Type, event.Reason, "Count", "%s", event.Message)
}

// Reset writes the status of the pod of actions, which was planned from pod.
func (a *Actor) Reset(ctx context.Context, pod *corev1.Pod, actions plan.TargetActions) error {
	if actions.Pod == nil {
		return nil
	}
	patch := client.MergeFromWithOptions(pod, client.MergeFromWithOptimisticLock{})
	if err := a.Client.Status().Patch(ctx, actions.Pod.DeepCopy(), patch); err != nil {
		return classify(fmt.Errorf("reset the condition DisruptionTarget of pod %s/%s: %w", pod.Namespace, pod.Name, err))
	}
	return nil
}

// classify adds to a failed write what it means for the next plan.
func classify(err error) error {
	if stale.Refused(err) {
		return stale.Because(err)
	}
	return err
}
