package variants

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// lawfulPatches update in place in other ways.
func lawfulPatches() []Variant {
	return []Variant{
		{Name: "updates-in-place-late", Says: "Updates a pod in place three seconds after maxUnavailable allows it.",
			Lawful: "A reaction may take five seconds.", Planner: remember(holdUpdates)},
		{Name: "updates-in-place-by-put", Says: "Writes updates in place by update instead of patch.",
			Lawful: "INPLACE-028 asks for one write, not for the verb.",
			Writer: func(c client.Client) client.Client { return puttingPods{c} }},
		{Name: "updated-pods-keep-their-generation", Says: "Leaves pods that it updates in place the label of the template generation that made them.",
			Lawful:  "The label says which generation created the pod, and the revision label which one it is of.",
			Planner: changeUpdates(func(_ plan.State, update *plan.PodUpdate) { delete(update.Labels, plan.GenerationLabel) })},
		{Name: "believes-restart-counts-alone", Says: "Takes a container for restarted when its restartCount is higher, whatever its ID.",
			Lawful: "A kubelet raises both.",
			Planner: records(func(pod *corev1.Pod, record *updateRecord) bool {
				changeContainers(record, func(name string, is *updateInstance) {
					if status := statusOf(pod, name); status != nil {
						is.ID = status.ContainerID
					}
				})
				return true
			})},
		{Name: "believes-patched-pods-late", Says: "Takes a patched pod for not Ready until its containers have run for two seconds.",
			Lawful: "A reaction may take five seconds.", Planner: believeLate(2 * time.Second)},
	}
}

func holdUpdates(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		h, wanted := m.of(state), map[string]bool{}
		actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), func(update plan.PodUpdate) bool {
			key := string(update.Pod.UID) + update.Labels[plan.HashLabel]
			wanted[key] = true
			return h.held(key, 3*time.Second, now, actions)
		})
		h.only(wanted)
	})
}

// believeLate shows a patched pod as not Ready until its containers are that old.
func believeLate(age time.Duration) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			wait := time.Duration(0)
			changePods(&state, func(pod *corev1.Pod) bool { return pod.Annotations[inplace.Record] != "" }, func(pod *corev1.Pod) {
				for _, status := range pod.Status.ContainerStatuses {
					if status.State.Running == nil {
						continue
					}
					left := status.State.Running.StartedAt.Add(age).Sub(now)
					if condition := ready(pod); left > 0 && condition != nil {
						condition.Status = corev1.ConditionFalse
						wait = max(wait, left)
					}
				}
			})
			actions := next(state, now)
			comeBack(&actions, wait)
			return actions
		}
	}
}

// puttingPods updates pods where it is to patch their spec.
type puttingPods struct{ client.Client }

// Patch implements client.Client.
func (c puttingPods) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	data, err := patch.Data(object)
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	var change corev1.Pod
	if err := json.Unmarshal(data, &change); err != nil {
		return fmt.Errorf("decode the patch: %w", err)
	}
	if len(change.Spec.Containers) == 0 {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
		return err
	}
	pod.ResourceVersion = change.ResourceVersion
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	maps.Copy(pod.Labels, change.Labels)
	maps.Copy(pod.Annotations, change.Annotations)
	for i := range pod.Spec.Containers {
		for _, changed := range change.Spec.Containers {
			if changed.Name == pod.Spec.Containers[i].Name {
				pod.Spec.Containers[i].Image = changed.Image
			}
		}
	}
	return c.Update(ctx, pod)
}
