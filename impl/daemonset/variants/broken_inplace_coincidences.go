package variants

import (
	"encoding/json"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenPatchCoincidences are right as long as one patch is seen before the next one comes.
func brokenPatchCoincidences() []Variant {
	return []Variant{
		{Name: "waits-for-the-generation-of-the-first-patch", Says: "Waits for the kubelet to see the patch before, when a pod is patched again that the kubelet has not come to.",
			Breaks: []string{"INPLACE-027", "INPLACE-030"}, Planner: changeUpdates(keepGeneration)},
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
