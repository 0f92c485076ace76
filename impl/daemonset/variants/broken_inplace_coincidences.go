package variants

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPatchCoincidences are right as long as one patch is seen before the next one comes, and nothing happens to the pod meanwhile.
func brokenPatchCoincidences() []Variant {
	return []Variant{
		{Name: "waits-for-the-generation-of-the-first-patch", Says: "Waits for the kubelet to see the patch before, when a pod is patched again that the kubelet has not come to.",
			Breaks: []string{"INPLACE-027", "INPLACE-030"}, Planner: changeUpdates(keepGeneration)},
		{Name: "updates-in-place-by-uid-alone",
			Says:   "Updates a pod in place whatever has become of it since it was looked at, as long as it is the same pod, and notes of its containers what it saw.",
			Breaks: []string{"INPLACE-013", "INPLACE-023"}, Writer: func(c client.Client) client.Client { return uidPatcher{c} }},
	}
}

// keepGeneration leaves in the record of an update the generation of an earlier one that the kubelet has not seen.
func keepGeneration(_ plan.State, update *plan.PodUpdate) {
	var earlier, next map[string]any
	if json.Unmarshal([]byte(update.Pod.Annotations[inplace.Record]), &earlier) != nil || json.Unmarshal([]byte(update.Annotations[inplace.Record]), &next) != nil {
		return
	}
	generation, counted := earlier["generation"].(float64)
	if !counted || update.Pod.Status.ObservedGeneration >= int64(generation) {
		return
	}
	next["generation"] = generation
	// It can be encoded as it was decoded.
	encoded, _ := json.Marshal(next)
	update.Annotations = map[string]string{inplace.Record: string(encoded)}
}

// uidPatcher drops the resourceVersion from updates in place.
type uidPatcher struct{ client.Client }

// Patch implements client.Client.
func (c uidPatcher) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	data, err := patch.Data(pod)
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
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
