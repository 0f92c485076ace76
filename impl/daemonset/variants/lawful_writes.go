package variants

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulWrites use other verbs for the same writes.
func lawfulWrites() []Variant {
	const verbs = "The requirements are about what is stored, not about the verb that stores it; what others wrote is left alone."
	return []Variant{
		{Name: "server-side-apply", Says: "Writes the status by server-side apply instead of update.", Lawful: verbs,
			Writer: func(c client.Client) client.Client { return statusPatcher{c, types.ApplyPatchType} }},
		{Name: "status-by-merge-patch", Says: "Writes the status by a merge patch without a resourceVersion instead of update.", Lawful: verbs,
			Writer: func(c client.Client) client.Client { return statusPatcher{c, types.MergePatchType} }},
		{Name: "relabels-pods-after-creation", Says: "Patches each pod after its creation with the labels that it has already.",
			Lawful: "A patch that changes nothing is no change; no second pod comes about.",
			Writer: func(c client.Client) client.Client { return patchingAgain{c} }},
		{Name: "creates-pods-by-apply", Says: "Creates pods by server-side apply, with names of its own.", Lawful: verbs,
			Writer: func(c client.Client) client.Client { return applyingPods{c} }},
		{Name: "claims-by-put", Says: "Adopts, releases and relabels pods by update instead of patch.", Lawful: verbs,
			Writer: func(c client.Client) client.Client {
				return puttingPods{c, func(change *corev1.Pod) bool { return len(change.Spec.Containers) == 0 }}
			}},
		{Name: "claims-by-merge-patch", Says: "Adopts, releases and relabels pods by merge patches with the resourceVersion.", Lawful: verbs,
			Writer: func(c client.Client) client.Client { return mergingPods{c} }},
		{Name: "tries-creations-first", Says: "Has the API server try every creation before it asks for it.", Lawful: "What is tried is not stored.",
			Writer: func(c client.Client) client.Client { return tryingFirst{c} }},
		{Name: "meets-conflicts", Says: "Writes every status with a resourceVersion that nobody has first, which is refused.",
			Lawful: "A conflict is what any controller meets whose cache is behind.",
			Writer: func(c client.Client) client.Client { return conflicting{c} }},
		{Name: "finalizer-on-the-daemonset", Says: "Puts a finalizer of its own on every DaemonSet, and takes it away when the DaemonSet is being deleted.",
			Lawful: "It changes no spec, and a DaemonSet that is being deleted gets neither pods nor a status (STATUS-015).",
			Reconciler: func(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
				return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
					if again, err := keepFinalizer(ctx, c, request); again || err != nil {
						return reconcile.Result{}, err
					}
					return inner.Reconcile(ctx, request)
				})
			}},
	}
}

// statusPatcher writes the status of DaemonSets by a patch.
type statusPatcher struct {
	client.Client
	by types.PatchType
}

func (c statusPatcher) Status() client.SubResourceWriter {
	return statusWriter{SubResourceWriter: c.Client.Status(), by: c.by}
}

type statusWriter struct {
	client.SubResourceWriter
	by types.PatchType
}

func (w statusWriter) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	ds, isDaemonSet := object.(*appsv1.DaemonSet)
	if !isDaemonSet {
		return w.SubResourceWriter.Update(ctx, object, options...)
	}
	status := ds.Status.DeepCopy()
	if w.by == types.ApplyPatchType {
		// Those of others would become its own.
		status.Conditions = slices.DeleteFunc(status.Conditions, func(c appsv1.DaemonSetCondition) bool { return c.Type != plan.ConditionStalled })
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": appsv1.SchemeGroupVersion.String(), "kind": "DaemonSet",
		"metadata": map[string]any{"name": ds.Name, "namespace": ds.Namespace, "uid": ds.UID}, "status": allNumbers(status),
	})
	if err != nil {
		return fmt.Errorf("encode the status: %w", err)
	}
	var how []client.SubResourcePatchOption
	if w.by == types.ApplyPatchType {
		how = append(how, client.FieldOwner("rollcall-variant"), client.ForceOwnership)
	}
	return w.Patch(ctx, ds.DeepCopy(), client.RawPatch(w.by, body), how...)
}

// allNumbers are the fields of the status with those that are zero and would be left out.
func allNumbers(status *appsv1.DaemonSetStatus) map[string]any {
	fields := map[string]any{
		"currentNumberScheduled": status.CurrentNumberScheduled, "numberMisscheduled": status.NumberMisscheduled,
		"desiredNumberScheduled": status.DesiredNumberScheduled, "numberReady": status.NumberReady, "observedGeneration": status.ObservedGeneration,
		"updatedNumberScheduled": status.UpdatedNumberScheduled, "numberAvailable": status.NumberAvailable, "numberUnavailable": status.NumberUnavailable,
	}
	if len(status.Conditions) > 0 {
		fields["conditions"] = status.Conditions
	}
	if status.CollisionCount != nil {
		fields["collisionCount"] = *status.CollisionCount
	}
	return fields
}

// applyingPods creates pods by server-side apply.
type applyingPods struct{ client.Client }

// Create implements client.Client.
func (c applyingPods) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Create(ctx, object, options...)
	}
	if pod.Name == "" {
		pod.Name, pod.GenerateName = within(pod.GenerateName, "-"+rand.String(8)), ""
	}
	return applyPod(ctx, c.Client, pod)
}

// applyPod writes all of the pod by server-side apply.
func applyPod(ctx context.Context, c client.Client, pod *corev1.Pod) error {
	applied := pod.DeepCopy()
	applied.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	applied.ManagedFields = nil
	body, err := json.Marshal(applied)
	if err != nil {
		return fmt.Errorf("encode the pod: %w", err)
	}
	return c.Patch(ctx, pod, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner("rollcall-variant"), client.ForceOwnership)
}

type patchingAgain struct{ client.Client }

func (c patchingAgain) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if err := c.Client.Create(ctx, object, options...); err != nil {
		return err
	}
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return nil
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID, "labels": pod.Labels}})
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	// The pod is there: what the second write meets is no matter.
	_ = c.Client.Patch(ctx, pod.DeepCopy(), client.RawPatch(types.MergePatchType, body))
	return nil
}

const finalizer = "example.com/variant"

// keepFinalizer reports whether it wrote, so that an event will bring the DaemonSet back.
func keepFinalizer(ctx context.Context, c client.Client, request reconcile.Request) (bool, error) {
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	wanted := ds.DeletionTimestamp == nil
	if slices.Contains(ds.Finalizers, finalizer) == wanted {
		return false, nil
	}
	changed := ds.DeepCopy()
	if wanted {
		controllerutil.AddFinalizer(changed, finalizer)
	} else {
		controllerutil.RemoveFinalizer(changed, finalizer)
	}
	patch := client.MergeFromWithOptions(ds, client.MergeFromWithOptimisticLock{})
	if err := c.Patch(ctx, changed, patch); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return true, nil
}

// mergingPods claims, releases and relabels pods by merge patches.
type mergingPods struct{ client.Client }

// Patch implements client.Client.
func (c mergingPods) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	return otherPatch{c.Client, func(change *corev1.Pod) bool { return !updatesImages(change) }, func(pod, patched *corev1.Pod) error {
		seen := &corev1.Pod{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(pod), seen); err != nil {
			return err
		}
		patched.ResourceVersion = seen.ResourceVersion
		patched.DeepCopyInto(pod)
		return c.Client.Patch(ctx, pod, client.MergeFromWithOptions(seen, client.MergeFromWithOptimisticLock{}))
	}}.Patch(ctx, object, patch, options...)
}

// tryingFirst makes every creation twice, the first time without effect.
type tryingFirst struct{ client.Client }

// Create implements client.Client.
func (c tryingFirst) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	tried := object.DeepCopyObject().(client.Object)
	if err := c.Client.Create(ctx, tried, append(slices.Clone(options), client.DryRunAll)...); err != nil {
		return err
	}
	return c.Client.Create(ctx, object, options...)
}

// conflicting has the first write of every status refused.
type conflicting struct{ client.Client }

// Status implements client.Client.
func (c conflicting) Status() client.SubResourceWriter { return conflictingStatus{c.Client.Status()} }

type conflictingStatus struct{ client.SubResourceWriter }

// Update implements client.SubResourceWriter.
func (w conflictingStatus) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	if _, isDaemonSet := object.(*appsv1.DaemonSet); isDaemonSet {
		refused := object.DeepCopyObject().(client.Object)
		refused.SetResourceVersion("1")
		if err := w.SubResourceWriter.Update(ctx, refused, options...); !apierrors.IsConflict(err) {
			return fmt.Errorf("a status that nobody has seen was not refused: %w", err)
		}
	}
	return w.SubResourceWriter.Update(ctx, object, options...)
}
