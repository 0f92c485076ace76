package variants

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenMeantimes are of an author who knows the documents and the reference alone: each is right as long as nothing happens to a pod but its update.
func brokenMeantimes() []Variant {
	return []Variant{
		{Name: "set-takes-regained-readiness-for-the-restart",
			Says:   "Takes a patched pod of a StatefulSet for restarted once it has become Ready after the patch, also where it was not for another reason.",
			Breaks: []string{"INPLACE-033"}, Planner: believeRegained},
		{Name: "set-recreates-pods-that-somebody-relabelled",
			Says:   "Recreates a pod of a StatefulSet in which somebody has changed a label that its revision gave it.",
			Breaks: []string{"INPLACE-031"}, Planner: doing(recreateRelabelled)},
		{Name: "set-sends-a-patch-again-over-a-conflict",
			Says:   "Sends the patch of a StatefulSet's pod that a conflict kept it from making again, with what it had noted of the containers before.",
			Breaks: []string{"INPLACE-033"}, Writer: func(c client.Client) client.Client { return insistingOverConflicts{c} }},
	}
}

// believeRegained does not read the records of pods that became Ready after their patch, and writes the proofs that are due all the same.
func believeRegained(next plan.Planner) plan.Planner {
	believing := forgetting(regained)(next)
	return func(state plan.State, now time.Time) plan.Actions {
		actions := believing(state, now)
		if actions.Err == nil && state.Set.DeletionTimestamp == nil {
			actions.ProvePods = inplace.Proofs(state.Pods, now)
		}
		return actions
	}
}

// regained reports whether the pod is Ready since a second after that of its last patch.
func regained(pod *corev1.Pod) bool {
	var record struct {
		At metav1.Time `json:"at"`
	}
	if json.Unmarshal([]byte(pod.Annotations[inplace.Record]), &record) != nil {
		return false
	}
	return slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue && condition.LastTransitionTime.After(record.At.Time)
	})
}

// recreateRelabelled deletes the pods to update that are not as their revision made them.
func recreateRelabelled(actions *plan.Actions, state plan.State, _ time.Time) {
	actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), func(update plan.PodUpdate) bool {
		if !relabelled(update.Pod, state) {
			return false
		}
		actions.DeletePods = append(slices.Clone(actions.DeletePods), update.Pod)
		return true
	})
}

// relabelled reports whether a label of the pod's revision is another one in the pod, or is not there. Labels that others have added do not count.
func relabelled(pod *corev1.Pod, state plan.State) bool {
	for _, revision := range state.Revisions {
		from := daemons.StoredTemplate(revision)
		if revision.Name != pod.Labels[plan.RevisionLabel] || from == nil {
			continue
		}
		for key, value := range from.Labels {
			if is, found := pod.Labels[key]; !found || is != value {
				return true
			}
		}
	}
	return false
}

// insistingOverConflicts makes an update in place whatever has become of the pod since it was planned, as long as it is the same pod.
type insistingOverConflicts struct{ client.Client }

// Patch implements client.Client.
func (c insistingOverConflicts) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod || patch.Type() != types.StrategicMergePatchType {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	data, err := patch.Data(pod)
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	conflict := c.Client.Patch(ctx, object, patch, options...)
	if !apierrors.IsConflict(conflict) {
		return conflict
	}
	var change map[string]map[string]any
	if err := json.Unmarshal(data, &change); err != nil {
		return fmt.Errorf("decode the patch: %w", err)
	}
	delete(change["metadata"], "resourceVersion")
	if data, err = json.Marshal(change); err != nil {
		return fmt.Errorf("encode the patch again: %w", err)
	}
	return c.Client.Patch(ctx, object, client.RawPatch(patch.Type(), data), options...)
}
