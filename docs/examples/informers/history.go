package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// history returns the revision of the set's template, which it creates if there is none, and the others, oldest first.
func (c *controller) history(ctx context.Context, set *appsv1.DaemonSet) (*appsv1.ControllerRevision, []*appsv1.ControllerRevision, error) {
	mine, err := c.claimRevisions(ctx, set)
	if err != nil {
		return nil, nil, err
	}
	data, err := template(set)
	if err != nil {
		return nil, nil, err
	}
	var same, old []*appsv1.ControllerRevision
	latest := int64(0)
	for _, revision := range mine {
		latest = max(latest, revision.Revision)
		if bytes.Equal(revision.Data.Raw, data) {
			same = append(same, revision)
		} else {
			old = append(old, revision)
		}
	}
	if len(same) == 0 {
		current, err := c.newRevision(ctx, set, data, latest+1)
		return current, old, err
	}
	current := same[len(same)-1]
	if err := c.merge(ctx, set, current, same[:len(same)-1]); err != nil {
		return nil, nil, err
	}
	if current.Revision < latest {
		current.Revision = latest + 1
		current, err = c.client.AppsV1().ControllerRevisions(set.Namespace).Update(ctx, current, metav1.UpdateOptions{})
	}
	return current, old, err
}

// claimRevisions returns copies of the set's revisions, oldest first. It adopts those that match and nobody controls, and labels those without a label.
func (c *controller) claimRevisions(ctx context.Context, set *appsv1.DaemonSet) ([]*appsv1.ControllerRevision, error) {
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil, err
	}
	all, err := c.revisions.ControllerRevisions(set.Namespace).List(selector)
	if err != nil {
		return nil, err
	}
	var mine []*appsv1.ControllerRevision
	for _, revision := range all {
		orphan := metav1.GetControllerOf(revision) == nil
		if revision.DeletionTimestamp != nil || !orphan && !metav1.IsControlledBy(revision, set) {
			continue
		}
		revision = revision.DeepCopy()
		if orphan {
			revision.OwnerReferences = append(revision.OwnerReferences, *metav1.NewControllerRef(set, daemonSetKind))
		}
		unlabelled := revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == ""
		if unlabelled {
			revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] = revision.Name
		}
		if orphan || unlabelled {
			if revision, err = c.client.AppsV1().ControllerRevisions(set.Namespace).Update(ctx, revision, metav1.UpdateOptions{}); err != nil {
				return nil, err
			}
		}
		mine = append(mine, revision)
	}
	slices.SortFunc(mine, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	return mine, nil
}

// merge deletes revisions that are the same as the current one, and gives their pods its label.
func (c *controller) merge(ctx context.Context, set *appsv1.DaemonSet, current *appsv1.ControllerRevision, same []*appsv1.ControllerRevision) error {
	for _, revision := range same {
		pods, err := c.pods.Pods(set.Namespace).List(labels.SelectorFromSet(labels.Set{
			appsv1.DefaultDaemonSetUniqueLabelKey: revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]}))
		if err != nil {
			return err
		}
		for _, pod := range pods {
			if !metav1.IsControlledBy(pod, set) {
				continue
			}
			if err := c.patch(ctx, pod, map[string]any{"metadata": map[string]any{"uid": pod.UID, "labels": map[string]string{
				appsv1.DefaultDaemonSetUniqueLabelKey: current.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]}}}); err != nil {
				return err
			}
		}
		err = c.client.AppsV1().ControllerRevisions(set.Namespace).Delete(ctx, revision.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

func (c *controller) newRevision(ctx context.Context, set *appsv1.DaemonSet, data []byte, number int64) (*appsv1.ControllerRevision, error) {
	hasher := fnv.New32a()
	_, _ = hasher.Write(data)
	if set.Status.CollisionCount != nil {
		_, _ = fmt.Fprint(hasher, *set.Status.CollisionCount)
	}
	hash := utilrand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))
	revision := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       set.Namespace,
			Name:            set.Name + "-" + hash,
			Labels:          map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: hash},
			Annotations:     set.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, daemonSetKind)},
		},
		Data:     runtime.RawExtension{Raw: data},
		Revision: number,
	}
	for name, value := range set.Spec.Template.Labels {
		revision.Labels[name] = value
	}
	created, err := c.client.AppsV1().ControllerRevisions(set.Namespace).Create(ctx, revision, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return created, err
	}
	existing, err := c.client.AppsV1().ControllerRevisions(set.Namespace).Get(ctx, revision.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if bytes.Equal(existing.Data.Raw, data) && (metav1.GetControllerOf(existing) == nil || metav1.IsControlledBy(existing, set)) {
		return existing, nil // or of nobody's, and adopted in the next pass
	}
	// Another template has the same hash: the next pass computes another.
	count := int32(1)
	if set.Status.CollisionCount != nil {
		count += *set.Status.CollisionCount
	}
	set.Status.CollisionCount = &count
	if _, err := c.client.AppsV1().DaemonSets(set.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{}); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("revision %s belongs to another template", revision.Name)
}

// template is the patch by which kubectl rolls back to the set's template.
func template(set *appsv1.DaemonSet) ([]byte, error) {
	raw, err := json.Marshal(set.Spec.Template)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	fields["$patch"] = "replace"
	return json.Marshal(map[string]any{"spec": map[string]any{"template": fields}})
}

// truncate deletes the oldest revisions beyond the limit, except those of pods that live.
func (c *controller) truncate(ctx context.Context, set *appsv1.DaemonSet, pods []*corev1.Pod, old []*appsv1.ControllerRevision) error {
	live := map[string]bool{}
	for _, pod := range pods {
		live[pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]] = true
	}
	excess := len(old) - int(*set.Spec.RevisionHistoryLimit)
	for _, revision := range old {
		if excess <= 0 {
			break
		}
		if live[revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]] {
			continue
		}
		err := c.client.AppsV1().ControllerRevisions(revision.Namespace).Delete(ctx, revision.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		excess--
	}
	return nil
}
