package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// revisions returns the set's history, oldest first.
func (r *reconciler) revisions(ctx context.Context, set *appsv1.DaemonSet) ([]*appsv1.ControllerRevision, error) {
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil, err
	}
	var list appsv1.ControllerRevisionList
	if err := r.client.List(ctx, &list, client.InNamespace(set.Namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return nil, err
	}
	var mine []*appsv1.ControllerRevision
	for i := range list.Items {
		revision := &list.Items[i]
		before := revision.DeepCopy()
		if !revision.DeletionTimestamp.IsZero() {
			continue
		}
		if metav1.GetControllerOf(revision) == nil { // left behind by one that is gone
			if err := controllerutil.SetControllerReference(set, revision, r.scheme); err != nil {
				return nil, err
			}
		}
		if !metav1.IsControlledBy(revision, set) {
			continue
		}
		if revision.Labels[appsv1.ControllerRevisionHashLabelKey] == "" {
			revision.Labels[appsv1.ControllerRevisionHashLabelKey] = revision.Name
		}
		if !equality.Semantic.DeepEqual(before, revision) {
			if err := r.client.Patch(ctx, revision, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
				return nil, err
			}
		}
		mine = append(mine, revision)
	}
	slices.SortFunc(mine, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	return mine, nil
}

// currentRevision finds or creates the revision of the set's template, which has the highest number.
func (r *reconciler) currentRevision(ctx context.Context, set *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision) (*appsv1.ControllerRevision, error) {
	data, err := templatePatch(set)
	if err != nil {
		return nil, err
	}
	latest := int64(0)
	var current *appsv1.ControllerRevision
	for _, revision := range revisions {
		latest = max(latest, revision.Revision)
		if !bytes.Equal(revision.Data.Raw, data) {
			continue
		}
		if current != nil {
			if err := r.replaceRevision(ctx, set, current, revision); err != nil {
				return nil, err
			}
		}
		current = revision
	}
	if current != nil {
		if current.Revision == latest {
			return current, nil
		}
		current.Revision = latest + 1
		return current, r.client.Update(ctx, current)
	}
	return r.newRevision(ctx, set, data, latest+1)
}

// replaceRevision deletes a revision that says the same as another, and gives its pods the label of that.
func (r *reconciler) replaceRevision(ctx context.Context, set *appsv1.DaemonSet, old, same *appsv1.ControllerRevision) error {
	var pods corev1.PodList
	label := appsv1.ControllerRevisionHashLabelKey
	if err := r.client.List(ctx, &pods, client.InNamespace(set.Namespace), client.MatchingLabels{label: old.Labels[label]}); err != nil {
		return err
	}
	for i := range pods.Items {
		if metav1.IsControlledBy(&pods.Items[i], set) {
			if err := r.relabel(ctx, &pods.Items[i], same.Labels[label]); err != nil {
				return err
			}
		}
	}
	return client.IgnoreNotFound(r.client.Delete(ctx, old))
}

func (r *reconciler) newRevision(ctx context.Context, set *appsv1.DaemonSet, data []byte, number int64) (*appsv1.ControllerRevision, error) {
	hash := shortHash(string(data) + fmt.Sprint(ptr.Deref(set.Status.CollisionCount, 0)))
	labels := map[string]string{appsv1.ControllerRevisionHashLabelKey: hash}
	for key, value := range set.Spec.Template.Labels {
		labels[key] = value
	}
	revision := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: set.Name + "-" + hash, Labels: labels, Annotations: set.Annotations},
		Data:       runtime.RawExtension{Raw: data},
		Revision:   number,
	}
	if err := controllerutil.SetControllerReference(set, revision, r.scheme); err != nil {
		return nil, err
	}
	err := r.client.Create(ctx, revision)
	if !apierrors.IsAlreadyExists(err) {
		return revision, err
	}
	var there appsv1.ControllerRevision
	if err := r.reader.Get(ctx, client.ObjectKeyFromObject(revision), &there); err != nil {
		return nil, err
	}
	if bytes.Equal(there.Data.Raw, data) && (metav1.GetControllerOf(&there) == nil || metav1.IsControlledBy(&there, set)) {
		return &there, nil // adopted next time, if nobody has it
	}
	set.Status.CollisionCount = ptr.To(ptr.Deref(set.Status.CollisionCount, 0) + 1)
	if err := r.client.Status().Update(ctx, set); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s is the name of another revision", revision.Name)
}

// templatePatch is what kubectl applies to go back to this template.
func templatePatch(set *appsv1.DaemonSet) ([]byte, error) {
	template, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&set.Spec.Template)
	if err != nil {
		return nil, err
	}
	template["$patch"] = "replace"
	return json.Marshal(map[string]any{"spec": map[string]any{"template": template}})
}

// prune deletes the oldest revisions that no pod needs.
func (r *reconciler) prune(ctx context.Context, set *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision, current *appsv1.ControllerRevision, pods []*corev1.Pod) error {
	needed := map[string]bool{current.Labels[appsv1.ControllerRevisionHashLabelKey]: true}
	for _, pod := range pods {
		needed[pod.Labels[appsv1.ControllerRevisionHashLabelKey]] = true
	}
	var unneeded []*appsv1.ControllerRevision
	for _, revision := range revisions {
		if !needed[revision.Labels[appsv1.ControllerRevisionHashLabelKey]] {
			unneeded = append(unneeded, revision)
		}
	}
	for len(unneeded) > int(ptr.Deref(set.Spec.RevisionHistoryLimit, 10)) {
		if err := r.client.Delete(ctx, unneeded[0]); client.IgnoreNotFound(err) != nil {
			return err
		}
		unneeded = unneeded[1:]
	}
	return nil
}
