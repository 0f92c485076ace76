package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// stage of a write; what a failure means for the writes that follow depends on it.
type stage int

const (
	// preparation is claiming and history: once it fails, no pod is created or deleted.
	preparation stage = iota
	// deletion of pods, and updates in place: each on its own.
	deletion
	// creation of pods: the first failure ends it.
	creation
	// report is the status, written in any case.
	report
)

// write is one request to the API server.
type write struct {
	stage stage
	do    func() error
	// learn is what the process remembers of a write that it knows to have taken place.
	learn func(*expectations)
}

// writes are the requests that carry out actions, in the order and with the conditions of package act.
func (c *controller) writes(p *process, ds *appsv1.DaemonSet, actions plan.Actions) []write {
	var writes []write
	for _, patch := range actions.PatchPods {
		writes = append(writes, c.wrote(preparation, history.KindPod, patch.Pod, func() error { return c.patchPod(ds, patch) }))
	}
	if actions.CreateRevision != nil {
		revision := actions.CreateRevision.DeepCopy()
		writes = append(writes, c.wrote(preparation, history.KindControllerRevision, revision, func() error {
			return c.api.create(history.KindControllerRevision, revision)
		}))
	}
	for _, update := range actions.UpdateRevisions {
		writes = append(writes, c.wrote(preparation, history.KindControllerRevision, update.Revision, func() error {
			return c.updateRevision(ds, update)
		}))
	}
	for _, revision := range actions.DeleteRevisions {
		writes = append(writes, write{
			stage: preparation,
			do:    func() error { return c.deleteRevision(revision) },
			learn: func(e *expectations) { e.deletes(c.clock.now, revision.UID) },
		})
	}
	for _, d := range actions.DeletePods {
		writes = append(writes, write{
			stage: deletion,
			do:    func() error { return c.deletePod(p, d) },
			learn: func(e *expectations) { e.deletes(c.clock.now, d.Pod.UID) },
		})
	}
	for _, update := range actions.UpdatePods {
		writes = append(writes, c.wrote(deletion, history.KindPod, update.Pod, func() error { return c.updatePod(p, update) }))
	}
	for _, proof := range actions.ProvePods {
		writes = append(writes, c.wrote(deletion, history.KindPod, proof.Pod, func() error { return c.provePod(proof) }))
	}
	for _, wanted := range actions.CreatePods {
		pod := wanted.Pod.DeepCopy()
		writes = append(writes, c.wrote(creation, history.KindPod, pod, func() error {
			if c.refuses(wanted.Node) {
				p.outcome.unwelcome = append(p.outcome.unwelcome, wanted.Node)
				return errUnwelcome
			}
			return c.api.create(history.KindPod, pod)
		}))
	}
	if actions.Status != nil {
		writes = append(writes, write{stage: report, do: func() error { return c.writeStatus(p, ds, *actions.Status) }})
	}
	// Kept whether or not the deletions work.
	maps.Copy(p.backoff, actions.Backoff)
	return writes
}

// wrote is a write after which the cache has to show the object as it then is.
func (c *controller) wrote(stage stage, kind history.Kind, object history.Object, do func() error) write {
	return write{stage: stage, do: do, learn: func(e *expectations) {
		// A patch of a pod that is gone by then leaves nothing to wait for.
		if now := c.api.objects[kind][object.GetName()]; now != nil {
			e.wrote(c.clock.now, kind, versionOf(now))
		}
	}}
}

// deletePod deletes a pod as it was seen, and counts it if it had ended on a node that it may stay on.
func (c *controller) deletePod(p *process, deletion plan.PodDeletion) error {
	pod := deletion.Pod
	if c.keptOn[deletion.Node] {
		p.outcome.kept = append(p.outcome.kept, deletion.Node)
		return errKept
	}
	ds, node := c.api.daemonSet(), c.api.node(history.NodeOf(pod))
	err := c.api.deletePod(pod.Name, pod.UID, pod.ResourceVersion)
	if err == nil && history.IsTerminal(pod) && ds != nil && node != nil && history.EligibilityOf(ds, node).ShouldContinue {
		c.cleared[pod.Status.Phase]++
	}
	return err
}

func (c *controller) patchPod(ds *appsv1.DaemonSet, patch plan.PodPatch) error {
	if err := c.mayAdopt(ds, patch.Adopt); err != nil {
		return err
	}
	err := c.api.update(history.KindPod, patch.Pod.Name, func(object history.Object) error {
		pod := object.(*corev1.Pod)
		if owner := metav1.GetControllerOfNoCopy(pod); pod.UID != patch.Pod.UID || patch.Adopt && owner != nil {
			return errConflict
		}
		isSet := func(owner metav1.OwnerReference) bool { return owner.UID == ds.UID }
		switch {
		case patch.Adopt:
			// Owners are merged by their UIDs.
			pod.OwnerReferences = append(slices.DeleteFunc(pod.OwnerReferences, isSet), *metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet")))
		case patch.Release:
			pod.OwnerReferences = slices.DeleteFunc(pod.OwnerReferences, isSet)
		}
		if patch.Hash != "" {
			pod.Labels[plan.HashLabel] = patch.Hash
		}
		return nil
	})
	if errors.Is(err, errNotFound) {
		return nil
	}
	return err
}

// updatePod is one write of all that an update in place changes: the patch as the API server applies it.
func (c *controller) updatePod(p *process, update plan.PodUpdate) error {
	delete(p.refusedUpdates, update.Node)
	patch, err := inplace.Patch(update.Pod, update.Images, update.Labels, update.Annotations)
	if err != nil {
		return err
	}
	return c.api.update(history.KindPod, update.Pod.Name, func(object history.Object) error {
		pod := object.(*corev1.Pod)
		patched, err := applied(pod, patch)
		switch {
		case err != nil:
			return err
		case pod.UID != patched.UID || pod.ResourceVersion != patched.ResourceVersion:
			return errConflict
		case c.unpatchable:
			p.refusedUpdates[update.Node] = plan.Refusal{Words: errUnpatched.Error()}
			return errUnpatched
		}
		if !c.api.uncounted && !apiequality.Semantic.DeepEqual(pod.Spec, patched.Spec) {
			patched.Generation++
		}
		patched.DeepCopyInto(pod)
		return nil
	})
}

// provePod writes on a pod that its update has taken effect. One that is gone, or another of the name, needs no proof.
func (c *controller) provePod(proof inplace.PodProof) error {
	if now := c.api.pod(proof.Pod.Name); now == nil || now.UID != proof.Pod.UID {
		return nil
	}
	return c.api.update(history.KindPod, proof.Pod.Name, func(object history.Object) error {
		object.SetAnnotations(labels.Merge(object.GetAnnotations(), labels.Set{inplace.Proof: proof.Value}))
		return nil
	})
}

// applied is the pod with a strategic merge patch.
func applied(pod *corev1.Pod, patch []byte) (*corev1.Pod, error) {
	before, err := json.Marshal(pod)
	if err != nil {
		return nil, fmt.Errorf("encode pod %s: %w", pod.Name, err)
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, pod)
	if err != nil {
		return nil, fmt.Errorf("patch pod %s: %w", pod.Name, err)
	}
	patched := &corev1.Pod{}
	if err := json.Unmarshal(after, patched); err != nil {
		return nil, fmt.Errorf("read the patched pod %s: %w", pod.Name, err)
	}
	return patched, nil
}

func (c *controller) updateRevision(ds *appsv1.DaemonSet, update plan.RevisionUpdate) error {
	if err := c.mayAdopt(ds, update.Adopt); err != nil {
		return err
	}
	return c.api.update(history.KindControllerRevision, update.Revision.Name, func(object history.Object) error {
		if object.GetResourceVersion() != update.Revision.ResourceVersion {
			return errConflict
		}
		update.Revision.DeepCopyInto(object.(*appsv1.ControllerRevision))
		return nil
	})
}

func (c *controller) deleteRevision(revision *appsv1.ControllerRevision) error {
	now := c.api.objects[history.KindControllerRevision][revision.Name]
	switch {
	case now == nil:
		return nil
	case now.GetUID() != revision.UID || now.GetResourceVersion() != revision.ResourceVersion:
		return fmt.Errorf("delete ControllerRevision %s: %w", revision.Name, errConflict)
	}
	c.api.remove(history.KindControllerRevision, revision.Name)
	return nil
}

// mayAdopt is the read, past the cache, that has to precede an adoption.
func (c *controller) mayAdopt(ds *appsv1.DaemonSet, adopt bool) error {
	now := c.api.daemonSet()
	if adopt && (now == nil || now.UID != ds.UID || now.DeletionTimestamp != nil) {
		return fmt.Errorf("adopt for DaemonSet %s: %w", ds.Name, errConflict)
	}
	return nil
}

// writeStatus writes the status. If somebody else wrote in between, the numbers go into what is there now, unless that is about a later
// generation, or a name collision would be counted twice.
func (c *controller) writeStatus(p *process, ds *appsv1.DaemonSet, status appsv1.DaemonSetStatus) error {
	now := c.api.daemonSet()
	if now == nil {
		return nil
	}
	if p.outcome.unprepared {
		// What was planned to be observed was not.
		status.ObservedGeneration = ds.Status.ObservedGeneration
	}
	outdated := now.ResourceVersion != ds.ResourceVersion
	switch {
	case outdated && !apiequality.Semantic.DeepEqual(ds.Status.CollisionCount, status.CollisionCount):
		return fmt.Errorf("count a name collision: %w", errConflict)
	case outdated && (now.UID != ds.UID || now.Status.ObservedGeneration > status.ObservedGeneration):
		return nil
	}
	return c.api.update(history.KindDaemonSet, ds.Name, func(object history.Object) error {
		after := object.(*appsv1.DaemonSet)
		conditions, collisions := after.Status.Conditions, after.Status.CollisionCount
		after.Status = status
		if outdated {
			after.Status.Conditions, after.Status.CollisionCount = plan.WithStalled(conditions, status.Conditions), collisions
		}
		return nil
	})
}
