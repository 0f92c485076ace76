package variants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// lawfulStrangers report later than the reference, mark the pods that they update, and renumber nothing.
func lawfulStrangers() []Variant {
	return []Variant{
		{Name: "set-counts-two-seconds-late",
			Says: "Writes a status of a StatefulSet once it has been due for two seconds, but one at once that has another generation or revision.",
			Lawful: "A reaction may take five seconds. INPLACE-033 has a patched pod count as unavailable in the status, which follows as late as any other change of it; " +
				"what is over within two seconds need not show. The next pod waits for the pods, and not for the status. currentRevision and updateRevision (INPLACE-034) are not put off.",
			Planner: countLate},
		{Name: "set-labels-pods-while-it-updates-them",
			Says: "Gives a pod of a StatefulSet a label in the write that updates it in place, and takes that away in the write that says that the update is done.",
			Lawful: "INPLACE-034 has the images and the label of the revision change in one write, and says nothing of other labels. INPLACE-031 names what stays: UID, node and claims. " +
				"INPLACE-032 is about labels of the template. There is no write more than the reference's.",
			Planner: doing(labelUpdated), Writer: func(c client.Client) client.Client { return unlabelling{c} }},
		{Name: "set-rollbacks-keep-numbers",
			Says: "Leaves a ControllerRevision that a rollback of a StatefulSet brings back the number that it has.",
			Lawful: "INPLACE-034 has a rollback bring the earlier ControllerRevision back, and does not say by which number: updateRevision names it. HISTORY-003 and others about " +
				"numbers speak of DaemonSets.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) { actions.RenumberRevision = nil })},
	}
}

// countLate puts off a status in which numbers and conditions alone are others. What is to be created below a partition depends on the revisions.
func countLate(next plan.Planner) plan.Planner {
	const delay = 2 * time.Second
	since := newClock()
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		is, was := actions.Status, state.Set.Status
		if is == nil {
			since.clear(state.Set.UID)
			return actions
		}
		if is.ObservedGeneration != was.ObservedGeneration || is.CurrentRevision != was.CurrentRevision || is.UpdateRevision != was.UpdateRevision {
			return actions
		}
		if left := since.wanted(state.Set.UID, now).Add(delay).Sub(now); left > 0 {
			actions.Status = nil
			if actions.RequeueAfter == 0 || left < actions.RequeueAfter {
				actions.RequeueAfter = left
			}
		}
		return actions
	}
}

// underUpdate is the label of a pod whose update in place is not done.
const underUpdate = "example.com/updating"

// labelUpdated marks those pods alone of which it will be written that their update is done.
func labelUpdated(actions *plan.Actions, _ plan.State, _ time.Time) {
	for i := range actions.UpdatePods {
		update := &actions.UpdatePods[i]
		if len(update.Images) == 0 {
			continue
		}
		update.Labels = maps.Clone(update.Labels)
		update.Labels[underUpdate] = "true"
	}
}

// unlabelling takes the label away with what says that an update is done.
type unlabelling struct{ client.Client }

// Patch implements client.Client.
func (c unlabelling) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	if _, isPod := object.(*corev1.Pod); !isPod {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	data, err := patch.Data(object)
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	if !bytes.Contains(data, []byte(`"`+inplace.Proof+`"`)) {
		return c.Client.Patch(ctx, object, patch, options...)
	}
	var body map[string]map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		return fmt.Errorf("decode the patch: %w", err)
	}
	body["metadata"]["labels"] = map[string]any{underUpdate: nil}
	if data, err = json.Marshal(body); err != nil {
		return fmt.Errorf("encode the patch again: %w", err)
	}
	return c.Client.Patch(ctx, object, client.RawPatch(patch.Type(), data), options...)
}
