package variants

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenEdges are right as long as there are pods, all of them can be patched, and each update is done before the next.
func brokenEdges() []Variant {
	skipped := &refusals{pods: map[types.UID]bool{}}
	return []Variant{
		{Name: "set-skips-what-is-refused", Says: "Goes on to the next pod of a StatefulSet when the API server refuses to patch one.",
			Breaks: []string{"INPLACE-018"}, Planner: skipped.skip, Writer: func(c client.Client) client.Client { return refusalsWriter{c, skipped} }},
		{Name: "set-takes-refusals-for-conflicts", Says: "Tries again in silence what the API server refuses to have patched of a StatefulSet.",
			Breaks: []string{"INPLACE-018"}, Writer: func(c client.Client) client.Client { return conflictsWriter{c} }},
		{Name: "set-keeps-the-revision-without-pods", Says: "Leaves a StatefulSet's current revision as it is where there is no pod to be of another.",
			Breaks: []string{"INPLACE-034"}, Planner: doing(keepRevision)},
		{Name: "set-records-the-latest-update-alone", Says: "Forgets the containers of an earlier update of a StatefulSet's pod that have not been restarted when it updates another container.",
			Breaks: []string{"INPLACE-033"}, Planner: doing(recordLatest)},
	}
}

// refusals are the pods that the API server has refused to patch.
type refusals struct {
	mu   sync.Mutex
	pods map[types.UID]bool
}

// skip plans as if the pods that were refused were updated and available, and tries these again beside.
func (r *refusals) skip(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		r.mu.Lock()
		defer r.mu.Unlock()
		actions := next(state, now)
		if actions.Err != nil || len(actions.UpdatePods) == 0 || !r.pods[actions.UpdatePods[0].Pod.UID] {
			return actions
		}
		revision := actions.UpdatePods[0].Labels[plan.RevisionLabel]
		state.Pods = slices.Clone(state.Pods)
		for i, pod := range state.Pods {
			if r.pods[pod.UID] {
				state.Pods[i] = pod.DeepCopy()
				state.Pods[i].Labels[plan.RevisionLabel] = revision
			}
		}
		actions.UpdatePods = append(slices.Clone(actions.UpdatePods), next(state, now).UpdatePods...)
		return actions
	}
}

type refusalsWriter struct {
	client.Client
	*refusals
}

// Patch keeps in mind which pods were refused.
func (w refusalsWriter) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	err := w.Client.Patch(ctx, object, patch, options...)
	raw, failed := patch.Data(object)
	var body struct {
		Metadata struct {
			UID types.UID `json:"uid"`
		} `json:"metadata"`
	}
	if failed != nil || json.Unmarshal(raw, &body) != nil || body.Metadata.UID == "" {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.pods, body.Metadata.UID); refused(err) {
		w.pods[body.Metadata.UID] = true
	}
	return err
}

type conflictsWriter struct{ client.Client }

// Patch says of a refused pod that it is another one than was seen.
func (w conflictsWriter) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	err := w.Client.Patch(ctx, object, patch, options...)
	if _, isPod := object.(*corev1.Pod); isPod && refused(err) {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, object.GetName(), err)
	}
	return err
}

// keepRevision keeps the current revision of a StatefulSet with no pods.
func keepRevision(actions *plan.Actions, state plan.State, _ time.Time) {
	if replicas(state.Set) > 0 || len(state.Pods) > 0 || actions.Status == nil || state.Set.Status.CurrentRevision == "" {
		return
	}
	status := actions.Status.DeepCopy()
	status.CurrentRevision = state.Set.Status.CurrentRevision
	if actions.Status = status; apiequality.Semantic.DeepEqual(*status, state.Set.Status) {
		actions.Status = nil
	}
}

// recordLatest writes records of the containers alone that an update changes.
func recordLatest(actions *plan.Actions, _ plan.State, _ time.Time) {
	for i, update := range actions.UpdatePods {
		var record map[string]any
		if json.Unmarshal([]byte(update.Annotations[inplace.Record]), &record) != nil {
			continue
		}
		containers, _ := record["containers"].(map[string]any)
		maps.DeleteFunc(containers, func(name string, _ any) bool { return update.Images[name] == "" })
		// It can be encoded as it was decoded.
		encoded, _ := json.Marshal(record)
		actions.UpdatePods[i].Annotations = map[string]string{inplace.Record: string(encoded)}
	}
}
