// Package act carries out what package plan decided, and knows which of its writes the caches have yet to show.
package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"golang.org/x/sync/errgroup"

	"github.com/rollcall-conformance/rollcall/impl/stale"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// atOnce is how many nodes or pods are written at the same time.
const atOnce = 10

// Actor carries out plans. All fields are required.
type Actor struct {
	Client   client.Client
	Memory   *Memory
	Recorder events.EventRecorder
}

// Do carries out actions for united. Every write is made only to the object as it was seen, so that a conflict means no more than a plan that is too old.
func (a *Actor) Do(ctx context.Context, united *api.UnitedDaemonSet, actions plan.Actions) error {
	var failures []error
	if actions.AddFinalizer {
		failures = append(failures, a.setFinalizer(ctx, united, controllerutil.AddFinalizer))
	}
	for _, write := range actions.Subsets {
		failures = append(failures, a.writeSubset(ctx, united, write))
	}
	if actions.UpdateTarget != nil {
		failures = append(failures, a.update(ctx, united, actions.UpdateTarget))
	}
	failures = append(failures,
		each(actions.RelabelPods, func(label plan.PodLabel) error { return a.relabel(ctx, united, label) }),
		each(actions.LabelNodes, func(labels plan.NodeLabels) error { return a.labelNode(ctx, united, labels) }))
	for _, ds := range actions.Delete {
		err := a.Client.Delete(ctx, ds, client.Preconditions{UID: &ds.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
		failures = append(failures, outcome(err, "delete DaemonSet %s", ds.Name))
	}
	if actions.DropFinalizer {
		failures = append(failures, a.setFinalizer(ctx, united, controllerutil.RemoveFinalizer))
	}
	// A status that is ahead of what was done would be a lie.
	if err := errors.Join(failures...); err != nil || actions.Status == nil {
		return err
	}
	return a.writeStatus(ctx, united, *actions.Status)
}

// each calls do for every item, several at a time.
func each[T any](items []T, do func(T) error) error {
	failures := make([]error, len(items))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, item := range items {
		group.Go(func() error {
			failures[i] = do(item)
			return nil
		})
	}
	// None returns an error: they are collected.
	_ = group.Wait()
	return errors.Join(failures...)
}

func (a *Actor) setFinalizer(ctx context.Context, united *api.UnitedDaemonSet, set func(client.Object, string) bool) error {
	changed := united.DeepCopy()
	set(changed, plan.Finalizer)
	err := a.Client.Patch(ctx, changed, client.MergeFromWithOptions(united, client.MergeFromWithOptimisticLock{}))
	if err == nil && slices.Contains(changed.Finalizers, plan.Finalizer) {
		a.Memory.wrote(united.UID, changed)
	}
	return outcome(err, "change the finalizers of UnitedDaemonSet %s", united.Name)
}

// writeSubset keeps in mind what the API server makes of it: what it refuses is not tried again before something changes.
func (a *Actor) writeSubset(ctx context.Context, united *api.UnitedDaemonSet, write plan.SubsetWrite) error {
	ds := write.DaemonSet.DeepCopy()
	created := ds.ResourceVersion == ""
	var err error
	if created {
		err = a.Client.Create(ctx, ds)
	} else {
		err = a.Client.Update(ctx, ds)
	}
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		a.Memory.refused(united.UID, write.Subset, plan.Refused{Hash: write.Hash, Why: err.Error()})
	}
	if err == nil {
		a.Memory.made(united.UID, ds, write.Hash, created)
	}
	return outcome(err, "write DaemonSet %s of subset %s", ds.Name, write.Subset)
}

func (a *Actor) update(ctx context.Context, united *api.UnitedDaemonSet, target *appsv1.DaemonSet) error {
	target = target.DeepCopy()
	err := a.Client.Update(ctx, target)
	if err == nil {
		a.Memory.wrote(united.UID, target)
	}
	return outcome(err, "update DaemonSet %s", target.Name)
}

// relabel names the pod's UID, so that it cannot hit another pod of the same name, but not its resourceVersion: the label does not depend on what else changes.
func (a *Actor) relabel(ctx context.Context, united *api.UnitedDaemonSet, label plan.PodLabel) error {
	metadata := map[string]any{"uid": label.Pod.UID, "labels": map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: label.Hash}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: label.Pod.Namespace, Name: label.Pod.Name}}
	err := a.patch(ctx, pod, metadata)
	if err == nil {
		a.Memory.wrote(united.UID, pod)
	}
	return outcome(err, "label pod %s", pod.Name)
}

func (a *Actor) labelNode(ctx context.Context, united *api.UnitedDaemonSet, labels plan.NodeLabels) error {
	metadata := map[string]any{"uid": labels.Node.UID, "resourceVersion": labels.Node.ResourceVersion, "labels": labels.Labels}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: labels.Node.Name}}
	err := a.patch(ctx, node, metadata)
	if err == nil {
		a.Memory.wrote(united.UID, node)
	}
	return outcome(err, "label node %s", node.Name)
}

func (a *Actor) patch(ctx context.Context, object client.Object, metadata map[string]any) error {
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	return a.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, body))
}

func (a *Actor) writeStatus(ctx context.Context, united *api.UnitedDaemonSet, status api.Status) error {
	changed := united.DeepCopy()
	changed.Status = status
	err := a.Client.Status().Update(ctx, changed)
	if err == nil {
		a.report(united, status.Conditions)
	}
	return outcome(err, "write the status of UnitedDaemonSet %s", united.Name)
}

// outcome adds to a failed write what was being done, and whether it only shows that the plan was outdated.
func outcome(err error, doing string, args ...any) error {
	switch {
	case err == nil:
		return nil
	case stale.Refused(err), apierrors.IsAlreadyExists(err):
		return stale.Because(fmt.Errorf(doing+": %w", append(args, err)...))
	}
	return fmt.Errorf(doing+": %w", append(args, err)...)
}
