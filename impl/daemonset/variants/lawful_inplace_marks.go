package variants

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// lawfulPatchMarks do more around an update in place, or update more pods in place.
func lawfulPatchMarks() []Variant {
	return []Variant{
		{Name: "conditions-on-pods-it-updates-in-place", Says: "Sets a condition of the pod to False before it updates it in place, and to True once the update is done, as OpenKruise does.",
			Lawful: "INPLACE-028 is about the images and the label, which change in one write as ever; INPLACE-013 and INPLACE-023 have Ready and the containers decide. No requirement says what other conditions a pod may have.",
			Writer: func(c client.Client) client.Client { return conditioning{c} }},
		{Name: "updates-unready-pods-in-place-under-surge", Says: "With maxSurge updates an old pod that is not Ready in place, where the reference creates another beside it.",
			Lawful:  "INPLACE-020: old pods that are not available may be patched or replaced.",
			Planner: doing(patchUnready)},
	}
}

// inPlaceReady is the condition.
const inPlaceReady corev1.PodConditionType = "InPlaceUpdateReady"

type conditioning struct{ client.Client }

// Patch implements client.Client.
func (c conditioning) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	data, err := patch.Data(pod)
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	var change corev1.Pod
	if err := json.Unmarshal(data, &change); err != nil {
		return fmt.Errorf("decode the patch: %w", err)
	}
	switch {
	case change.Annotations[inplace.Record] != "":
		if data, err = c.begin(ctx, pod, change, data); err != nil {
			return err
		}
		return c.Client.Patch(ctx, object, client.RawPatch(patch.Type(), data), options...)
	case change.Annotations[inplace.Proof] != "":
		if err := c.Client.Patch(ctx, object, patch, options...); err != nil {
			return err
		}
		return c.end(ctx, pod.DeepCopy())
	}
	return c.Client.Patch(ctx, object, patch, options...)
}

// begin sets the condition of the pod as the update was planned for, and returns the update for the pod with it. One that is set already stays: the update may have
// been refused before.
func (c conditioning) begin(ctx context.Context, pod *corev1.Pod, change corev1.Pod, data []byte) ([]byte, error) {
	before := &corev1.Pod{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(pod), before); err != nil {
		return nil, err
	}
	if conditionOfPod(before, inPlaceReady) == corev1.ConditionFalse {
		return data, nil
	}
	before.UID, before.ResourceVersion = change.UID, change.ResourceVersion
	marked, err := withPodCondition(ctx, c.Client, before, corev1.PodCondition{Type: inPlaceReady, Status: corev1.ConditionFalse, Reason: "StartInPlaceUpdate"})
	if err != nil {
		return nil, err
	}
	var body map[string]map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, fmt.Errorf("decode the update: %w", err)
	}
	body["metadata"]["resourceVersion"] = marked.ResourceVersion
	return json.Marshal(body)
}

// end sets it whatever has become of the pod since: the update is done, and was of this pod.
func (c conditioning) end(ctx context.Context, pod *corev1.Pod) error {
	pod.ResourceVersion = ""
	_, err := withPodCondition(ctx, c.Client, pod, corev1.PodCondition{Type: inPlaceReady, Status: corev1.ConditionTrue})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// patchUnready updates old pods in place beside which updated ones are to be created because they are not available.
func patchUnready(actions *plan.Actions, state plan.State, now time.Time) {
	if !inPlace(state) || !rolling(state) || !maySurge(state) {
		return
	}
	on := map[string]*node{}
	for _, each := range nodes(state) {
		on[each.name] = each
	}
	withoutCreations(actions, func(creation plan.PodCreation) bool {
		n := on[creation.Node]
		if creation.Reason != plan.ReasonOldUnavailable || n == nil || len(n.olds) != 1 || len(n.news) > 0 || deleted(actions, n.olds[0]) {
			return false
		}
		old := n.olds[0]
		if plan.IsReady(old) || !inplace.Runs(old) || !inplace.OnlyImagesDiffer(madeOf(state, old), &state.DaemonSet.Spec.Template) {
			return false
		}
		update, err := wholeUpdate(state, old, creation, now)
		if err == nil {
			actions.UpdatePods = append(slices.Clone(actions.UpdatePods), update)
		}
		return err == nil
	})
}

func deleted(actions *plan.Actions, pod *corev1.Pod) bool {
	return slices.ContainsFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Pod.UID == pod.UID })
}

// madeOf is the template that the pod was made of, by the DaemonSet's own history; nil if that is not known.
func madeOf(state plan.State, pod *corev1.Pod) *corev1.PodTemplateSpec {
	for _, history := range state.Revisions {
		if metav1.IsControlledBy(history, state.DaemonSet) && history.Labels[plan.HashLabel] == pod.Labels[plan.HashLabel] {
			return plan.StoredTemplate(history)
		}
	}
	return nil
}

// wholeUpdate is the update of a pod in place of a creation, with its record.
func wholeUpdate(state plan.State, pod *corev1.Pod, creation plan.PodCreation, now time.Time) (plan.PodUpdate, error) {
	update := updateInPlace(state, pod, creation.Reason)
	update.Labels = maps.Clone(update.Labels)
	update.Labels[plan.HashLabel] = creation.Hash
	if generation := state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]; generation != "" {
		update.Labels[plan.GenerationLabel] = generation
	}
	update.Images = inplace.Images(pod, madeOf(state, pod), &state.DaemonSet.Spec.Template)
	record, err := inplace.RecordOf(pod, update.Images, now)
	update.Annotations = map[string]string{inplace.Record: record}
	return update, err
}
