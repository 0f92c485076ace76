package variants

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// lawfulPatchStrangers keep their records in another form.
func lawfulPatchStrangers() []Variant {
	return []Variant{
		{Name: "keeps-records-of-updates-in-place-elsewhere",
			Says: "Keeps what it knows of an update in place in annotations of the pod that have other names than the reference's, and values that only it can read.",
			Lawful: "INPLACE-025: what is known of a pod must not be in the memory of a process alone, and no requirement says where it is. INPLACE-013, INPLACE-023, INPLACE-024 and INPLACE-027 are about " +
				"containers and the status. INPLACE-028: it goes with the images and the label, in one write.",
			Planner: seeing(func(state *plan.State, _ time.Time) { readElsewhere(state) }),
			Writer:  func(c client.Client) client.Client { return recordingElsewhere{c} }},
	}
}

// annotationsElsewhere are the names in the place of those of the reference.
var annotationsElsewhere = map[string]string{
	inplace.Record: "state.example.com/update",
	inplace.Proof:  "state.example.com/seen",
}

// readElsewhere shows pods as the reference would have annotated them.
func readElsewhere(state *plan.State) {
	annotated := func(pod *corev1.Pod) bool { return pod.Annotations[annotationsElsewhere[inplace.Record]] != "" }
	changePods(state, annotated, func(pod *corev1.Pod) {
		for here, elsewhere := range annotationsElsewhere {
			value, found := pod.Annotations[elsewhere]
			if decoded, err := base64.StdEncoding.DecodeString(value); found && err == nil {
				pod.Annotations[here] = string(decoded)
			}
		}
	})
}

// recordingElsewhere writes the annotations of updates in place under other names.
type recordingElsewhere struct{ client.Client }

// Patch implements client.Client.
func (c recordingElsewhere) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	data, err := patch.Data(pod)
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	if !bytes.Contains(data, []byte(`"`+inplace.Record+`"`)) && !bytes.Contains(data, []byte(`"`+inplace.Proof+`"`)) {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	var body map[string]map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		return fmt.Errorf("decode the patch: %w", err)
	}
	annotations, _ := body["metadata"]["annotations"].(map[string]any)
	for here, elsewhere := range annotationsElsewhere {
		if value, isText := annotations[here].(string); isText {
			delete(annotations, here)
			annotations[elsewhere] = base64.StdEncoding.EncodeToString([]byte(value))
		}
	}
	if data, err = json.Marshal(body); err != nil {
		return fmt.Errorf("encode the patch again: %w", err)
	}
	return c.Client.Patch(ctx, object, client.RawPatch(patch.Type(), data), options...)
}
