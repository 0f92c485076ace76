package main

import (
	"context"
	"encoding/json"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// act does what is planned.
func (c *controller) act(ctx context.Context, v *view, key string) error {
	create, remove, ended := v.plan()
	for _, pod := range ended {
		id, now := key+"/"+pinnedTo(pod), c.failed.Clock.Now()
		if c.failed.IsInBackOffSinceUpdate(id, now) {
			c.queue.AddAfter(key, c.failed.Get(id))
			continue
		}
		c.failed.Next(id, now)
		if pod.Status.Phase == corev1.PodFailed {
			c.recorder.Eventf(v.set, corev1.EventTypeWarning, "FailedDaemonPod", "Found failed daemon pod %s on node %s, will try to kill it", pod.Name, pod.Spec.NodeName)
		} else {
			c.recorder.Eventf(v.set, corev1.EventTypeNormal, "SucceededDaemonPod", "Found succeeded daemon pod %s on node %s, will try to delete it", pod.Name, pod.Spec.NodeName)
		}
		remove = append(remove, pod)
	}
	var errs []error
	for _, pod := range remove {
		errs = append(errs, c.delete(ctx, v.set, key, pod))
	}
	// What is wrong with one pod is wrong with all: a batch is as large as what went well before it, and twice as large as the one before.
	for size := 1; len(create) > 0; size *= 2 {
		batch := create[:min(size, len(create))]
		create = create[len(batch):]
		for _, node := range batch {
			if err := c.create(ctx, v, key, node); err != nil {
				return errors.Join(append(errs, err)...)
			}
		}
	}
	return errors.Join(errs...)
}

func (c *controller) delete(ctx context.Context, set *appsv1.DaemonSet, key string, pod *corev1.Pod) error {
	c.pending.willDelete(key, pod.Name)
	err := c.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
	if err != nil {
		c.pending.deleted(key, pod.Name)
		if apierrors.IsNotFound(err) {
			return nil
		}
		c.recorder.Eventf(set, corev1.EventTypeWarning, "FailedDelete", "Error deleting pod %s: %v", pod.Name, err)
		return err
	}
	c.recorder.Eventf(set, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: %s", pod.Name)
	return nil
}

func (c *controller) create(ctx context.Context, v *view, key, node string) error {
	pod := newPod(v.set, v.hash, node)
	pod.Name = v.set.Name + "-" + utilrand.String(5)
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(v.set, daemonSetKind)}
	c.pending.willCreate(key, pod.Name)
	if _, err := c.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		c.pending.created(key, pod.Name)
		c.recorder.Eventf(v.set, corev1.EventTypeWarning, "FailedCreate", "Error creating a pod for node %s: %v", node, err)
		return err
	}
	c.recorder.Eventf(v.set, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %s", pod.Name)
	return nil
}

// label gives the revision's label to updated pods that lack it.
func (c *controller) label(ctx context.Context, v *view) error {
	var errs []error
	for i := range v.places {
		for _, pod := range v.places[i].updated {
			if pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == "" {
				errs = append(errs, c.patch(ctx, pod, map[string]any{"metadata": map[string]any{
					"uid": pod.UID, "labels": map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: v.hash}}}))
			}
		}
	}
	return errors.Join(errs...)
}

// claim returns the set's pods: those that it controls, and orphans that it adopts. Those that its selector no longer matches are released.
func (c *controller) claim(ctx context.Context, set *appsv1.DaemonSet) ([]*corev1.Pod, error) {
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil, err
	}
	all, err := c.pods.Pods(set.Namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	var mine []*corev1.Pod
	for _, pod := range all {
		owner := metav1.GetControllerOf(pod)
		matches := selector.Matches(labels.Set(pod.Labels))
		switch {
		case owner != nil && owner.UID == set.UID && matches:
			mine = append(mine, pod)
		case owner != nil && owner.UID == set.UID:
			patch := map[string]any{"metadata": map[string]any{"uid": pod.UID, "ownerReferences": []map[string]any{{"$patch": "delete", "uid": set.UID}}}}
			if err := c.patch(ctx, pod, patch); err != nil {
				return nil, err
			}
		case owner == nil && matches && pod.DeletionTimestamp == nil:
			patch := map[string]any{"metadata": map[string]any{"uid": pod.UID, "ownerReferences": []metav1.OwnerReference{*metav1.NewControllerRef(set, daemonSetKind)}}}
			if err := c.patch(ctx, pod, patch); err != nil {
				return nil, err
			}
			mine = append(mine, pod)
		}
	}
	return mine, nil
}

func (c *controller) patch(ctx context.Context, pod *corev1.Pod, change map[string]any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = c.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (c *controller) updateStatus(ctx context.Context, set *appsv1.DaemonSet, status appsv1.DaemonSetStatus) error {
	if equality.Semantic.DeepEqual(set.Status, status) {
		return nil
	}
	set.Status = status
	_, err := c.client.AppsV1().DaemonSets(set.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{})
	return err
}
