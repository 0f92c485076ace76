package variants

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
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
			Writer: func(c client.Client) client.Client { return puttingPods{c, updatesImages} }},
		{Name: "updates-in-place-by-apply", Says: "Writes updates in place by server-side apply.",
			Lawful: "INPLACE-028 asks for one write, not for the verb.",
			Writer: func(c client.Client) client.Client { return applyingImages{c} }},
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

// puttingPods updates pods where it is to patch them, and which says so of the patch.
type puttingPods struct {
	client.Client
	which func(change *corev1.Pod) bool
}

// Patch implements client.Client.
func (c puttingPods) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	return otherPatch{c.Client, c.which, func(pod, patched *corev1.Pod) error {
		patched.DeepCopyInto(pod)
		return c.Update(ctx, pod)
	}}.Patch(ctx, object, patch, options...)
}

// otherPatch writes the patches of pods that which selects in another way: do gets the pod, and what the patch makes of it.
type otherPatch struct {
	client.Client
	which func(change *corev1.Pod) bool
	do    func(pod, patched *corev1.Pod) error
}

// Patch implements client.Client.
func (c otherPatch) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	patched, err := patchedPod(ctx, c.Client, pod, patch, c.which)
	if err != nil {
		return err
	}
	if patched == nil {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	return c.do(pod, patched)
}

// patchedPod is what a patch makes of the pod in the cluster; nil if which does not select the patch.
func patchedPod(ctx context.Context, c client.Client, pod *corev1.Pod, patch client.Patch, which func(change *corev1.Pod) bool) (*corev1.Pod, error) {
	data, err := patch.Data(pod)
	if err != nil {
		return nil, fmt.Errorf("encode the patch: %w", err)
	}
	var change, before, after corev1.Pod
	if err := json.Unmarshal(data, &change); err != nil {
		return nil, fmt.Errorf("decode the patch: %w", err)
	}
	if !which(&change) {
		return nil, nil
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(pod), &before); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(before)
	if err != nil {
		return nil, fmt.Errorf("encode the pod: %w", err)
	}
	if encoded, err = strategicpatch.StrategicMergePatch(encoded, data, corev1.Pod{}); err != nil {
		return nil, fmt.Errorf("patch the pod: %w", err)
	}
	if err := json.Unmarshal(encoded, &after); err != nil {
		return nil, fmt.Errorf("decode the pod: %w", err)
	}
	return &after, nil
}

// updatesImages reports whether the change is an update in place.
func updatesImages(change *corev1.Pod) bool { return len(change.Spec.Containers) > 0 }

// applyingImages updates pods in place by server-side apply.
type applyingImages struct{ client.Client }

// Patch implements client.Client.
func (c applyingImages) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	return otherPatch{c.Client, updatesImages, func(pod, patched *corev1.Pod) error {
		// What was applied before and is not now would be taken away: all that updates change is applied each time.
		var containers []map[string]string
		for _, container := range patched.Spec.Containers {
			containers = append(containers, map[string]string{"name": container.Name, "image": container.Image})
		}
		body, err := json.Marshal(map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{
				"name": patched.Name, "namespace": patched.Namespace, "uid": patched.UID, "resourceVersion": patched.ResourceVersion,
				"labels": patched.Labels, "annotations": patched.Annotations,
			},
			"spec": map[string]any{"containers": containers},
		})
		if err != nil {
			return fmt.Errorf("encode the update: %w", err)
		}
		return c.Client.Patch(ctx, pod, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner("rollcall-variant"), client.ForceOwnership)
	}}.Patch(ctx, object, patch, options...)
}
