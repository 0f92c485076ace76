package variants

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/around"
	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// brokenWrites are right as long as nothing but images of containers changes, the API server takes what is written, and watches show it at once.
func brokenWrites() []Variant {
	sidecars := &initImages{wanted: map[types.UID]map[string]string{}}
	return []Variant{
		{Name: "set-patches-init-containers", Says: "Patches pods of a StatefulSet that are to have other images of init containers, too.", Breaks: []string{"INPLACE-032"},
			Planner: doing(sidecars.patch), Writer: sidecars.write},
		{Name: "set-deletes-what-is-refused", Says: "Deletes pods of a StatefulSet that the API server refuses to patch.", Breaks: []string{"INPLACE-031"},
			Writer: func(c client.Client) client.Client { return failureEnder{c, refused} }},
		{Name: "set-deletes-what-could-not-be-patched", Says: "Deletes pods of a StatefulSet whose patch met an error of the API server.", Breaks: []string{"INPLACE-031"},
			Writer: func(c client.Client) client.Client { return failureEnder{c, apierrors.IsInternalError} }},
		{Name: "set-insists-on-refused-patches", Says: "Sends patches of a StatefulSet's pods that the API server refuses again and again, without a pause.", Breaks: []string{"INPLACE-038"},
			Writer: around.Insistent},
		{Name: "set-goes-by-its-cache-of-revisions", Says: "Takes revisions of a StatefulSet's pods that its watch does not show yet for lost.", Breaks: []string{"INPLACE-031"},
			Live: func(client.Reader) client.Reader { return nothing{} }},
	}
}

// initImages takes init containers for containers.
type initImages struct {
	mu sync.Mutex
	// wanted are the images of init containers that go with patches, by pod and container.
	wanted map[types.UID]map[string]string
}

// patch updates those of the pods that are to be deleted, which differ from the template in images of init containers, and in images alone.
func (i *initImages) patch(actions *plan.Actions, state plan.State, now time.Time) {
	if !inplace.Wanted(state.Set) || actions.Err != nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	to := &state.Set.Spec.Template
	revision := state.Set.Status.UpdateRevision
	if actions.Status != nil {
		revision = actions.Status.UpdateRevision
	}
	actions.DeletePods = slices.DeleteFunc(slices.Clone(actions.DeletePods), func(pod *corev1.Pod) bool {
		images := map[string]string{}
		for _, known := range state.Revisions {
			from := daemons.StoredTemplate(known)
			if known.Name != pod.Labels[plan.RevisionLabel] || from == nil || len(from.Spec.InitContainers) != len(to.Spec.InitContainers) {
				continue
			}
			changed := from.DeepCopy()
			for c := range changed.Spec.InitContainers {
				changed.Spec.InitContainers[c].Image = to.Spec.InitContainers[c].Image
			}
			if !inplace.OnlyImagesDiffer(changed, to) {
				continue
			}
			for c, is := range from.Spec.InitContainers {
				if wanted := to.Spec.InitContainers[c].Image; wanted != is.Image {
					images[is.Name] = wanted
				}
			}
		}
		if len(images) == 0 || !inplace.Runs(pod) || isTooMany(state.Set, pod) {
			return false
		}
		i.wanted[pod.UID] = images
		actions.UpdatePods = append(actions.UpdatePods, patchTo(state, pod, revision, now))
		return true
	})
}

func (i *initImages) write(c client.Client) client.Client { return initImagesWriter{c, i} }

type initImagesWriter struct {
	client.Client
	*initImages
}

// Patch adds the images of init containers that go with the patch, once.
func (w initImagesWriter) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	raw, err := patch.Data(object)
	var body struct {
		Metadata struct {
			UID types.UID `json:"uid"`
		} `json:"metadata"`
	}
	if err != nil || patch.Type() != types.StrategicMergePatchType || json.Unmarshal(raw, &body) != nil {
		return w.Client.Patch(ctx, object, patch, options...)
	}
	w.mu.Lock()
	images := w.wanted[body.Metadata.UID]
	delete(w.wanted, body.Metadata.UID)
	w.mu.Unlock()
	if len(images) == 0 {
		return w.Client.Patch(ctx, object, patch, options...)
	}
	return w.Client.Patch(ctx, object, client.RawPatch(patch.Type(), withInitImages(raw, images)), options...)
}

// withInitImages is the patch that sets the images of init containers, too. It is one that was decoded, and can be encoded.
func withInitImages(raw []byte, images map[string]string) []byte {
	patch := map[string]any{}
	_ = json.Unmarshal(raw, &patch)
	spec, _ := patch["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
	}
	var containers []map[string]string
	for _, name := range slices.Sorted(maps.Keys(images)) {
		containers = append(containers, map[string]string{"name": name, "image": images[name]})
	}
	spec["initContainers"], patch["spec"] = containers, spec
	encoded, _ := json.Marshal(patch)
	return encoded
}

func refused(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) }

// failureEnder deletes a pod whose patch failed in that way.
type failureEnder struct {
	client.Client
	failed func(error) bool
}

func (w failureEnder) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	err := w.Client.Patch(ctx, object, patch, options...)
	if _, isPod := object.(*corev1.Pod); isPod && w.failed(err) {
		// Where that fails, it is tried again with the patch.
		_ = w.Client.Delete(ctx, object)
	}
	return err
}

// nothing is an API server that has nothing.
type nothing struct{ client.Reader }

// Get implements client.Reader.
func (nothing) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return apierrors.NewNotFound(schema.GroupResource{}, "")
}
