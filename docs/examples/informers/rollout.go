package main

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// view is what one pass sees: the nodes that should run a daemon, the pods, and which of them are updated and available.
type view struct {
	set    *appsv1.DaemonSet
	hash   string // of the current revision
	places []place
	stray  []*corev1.Pod
	wake   time.Duration // until the next pod becomes available; 0 for never

	misscheduled int32
}

// place is a node that should run a daemon, with its pods. Those of each list that are worth keeping come first.
type place struct {
	node                             string
	old, updated, ended, terminating []*corev1.Pod
	oldAvailable, updatedAvailable   bool
}

func look(set *appsv1.DaemonSet, nodes []*corev1.Node, pods []*corev1.Pod, hash string, now time.Time) *view {
	v := &view{set: set, hash: hash}
	on := map[string][]*corev1.Pod{}
	for _, pod := range pods {
		on[pinnedTo(pod)] = append(on[pinnedTo(pod)], pod)
	}
	for _, node := range nodes {
		run, stay := fits(newPod(set, hash, node.Name), node)
		here := on[node.Name]
		delete(on, node.Name)
		if run {
			v.places = append(v.places, v.place(node.Name, here, now))
			continue
		}
		if len(here) > 0 {
			v.misscheduled++
		}
		for _, pod := range here {
			if !stay || v.surge() > 0 && !v.updated(pod) && !v.available(pod, now) {
				v.stray = append(v.stray, pod)
			}
		}
	}
	for _, rest := range on { // of nodes that are gone
		v.stray = append(v.stray, rest...)
	}
	return v
}

func (v *view) place(node string, pods []*corev1.Pod, now time.Time) place {
	p := place{node: node}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	for _, pod := range pods {
		available := v.available(pod, now)
		switch {
		case pod.DeletionTimestamp != nil && !ended(pod):
			p.terminating = append(p.terminating, pod)
		case pod.DeletionTimestamp != nil: // it runs no more, and is dealt with
		case ended(pod):
			p.ended = append(p.ended, pod)
		case v.updated(pod):
			p.updated = append(p.updated, pod)
			p.updatedAvailable = p.updatedAvailable || available && p.updated[0] == pod
		case available && !p.oldAvailable:
			p.old = slices.Insert(p.old, 0, pod)
			p.oldAvailable = true
		default:
			p.old = append(p.old, pod)
		}
	}
	return p
}

// updated reports whether a pod is of the current template: by its template generation, or by its revision.
func (v *view) updated(pod *corev1.Pod) bool {
	generation := generationOf(v.set)
	return pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == v.hash ||
		generation != "" && pod.Labels[generationLabel] == generation
}

// available reports whether a pod has been Ready for minReadySeconds, and otherwise remembers when it will have been.
func (v *view) available(pod *corev1.Pod, now time.Time) bool {
	condition := ready(pod)
	if condition == nil || pod.DeletionTimestamp != nil || ended(pod) {
		return false
	}
	if v.set.Spec.MinReadySeconds == 0 {
		return true
	}
	if condition.LastTransitionTime.IsZero() {
		return false
	}
	left := condition.LastTransitionTime.Add(time.Duration(v.set.Spec.MinReadySeconds) * time.Second).Sub(now)
	if left > 0 && (v.wake == 0 || left < v.wake) {
		v.wake = left
	}
	return left <= 0
}

func ready(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

func generationOf(set *appsv1.DaemonSet) string {
	return set.Annotations[appsv1.DeprecatedTemplateGeneration]
}

// plan returns the nodes on which pods are missing, the pods that are deleted, and those that have ended and are deleted after a while.
func (v *view) plan() (create []string, remove, ended []*corev1.Pod) {
	for _, pod := range v.stray {
		if pod.DeletionTimestamp == nil {
			remove = append(remove, pod)
		}
	}
	for i := range v.places {
		p := &v.places[i]
		ended = append(ended, p.ended...)
		remove = append(remove, p.old[min(1, len(p.old)):]...)
		remove = append(remove, p.updated[min(1, len(p.updated)):]...)
		empty := len(p.old)+len(p.updated)+len(p.ended) == 0
		if empty && (len(p.terminating) == 0 || v.surge() > 0) {
			create = append(create, p.node)
		}
	}
	switch {
	case v.set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType:
	case v.surge() > 0:
		added, replaced := v.planSurge()
		create, remove = append(create, added...), append(remove, replaced...)
	default:
		remove = append(remove, v.planReplacements()...)
	}
	return create, remove, ended
}

// planSurge creates updated pods beside old ones, and deletes an old one once the updated one is available.
func (v *view) planSurge() (create []string, remove []*corev1.Pod) {
	free := v.surge()
	for i := range v.places {
		if p := &v.places[i]; p.oldAvailable && len(p.updated) > 0 && !p.updatedAvailable {
			free--
		}
	}
	for i := range v.places {
		p := &v.places[i]
		switch {
		case len(p.old) == 0:
		case p.updatedAvailable:
			remove = append(remove, p.old[0])
		case len(p.updated) > 0 || len(p.ended) > 0: // wait
		case !p.oldAvailable:
			create = append(create, p.node)
		case free > 0:
			free--
			create = append(create, p.node)
		}
	}
	return create, remove
}

// planReplacements deletes old pods; what takes their place is created once they are gone.
func (v *view) planReplacements() (remove []*corev1.Pod) {
	free := v.unavailable()
	for i := range v.places {
		if p := &v.places[i]; !p.oldAvailable && !p.updatedAvailable {
			free--
		}
	}
	for i := range v.places {
		p := &v.places[i]
		switch {
		case len(p.old) == 0:
		case p.updatedAvailable || !p.oldAvailable:
			remove = append(remove, p.old[0])
		case len(p.updated) > 0: // left over from surging
			remove = append(remove, p.updated[0])
		case free > 0:
			free--
			remove = append(remove, p.old[0])
		}
	}
	return remove
}

// surge is maxSurge in nodes: 0 unless the strategy is a rolling update.
func (v *view) surge() int {
	if rolling := v.set.Spec.UpdateStrategy.RollingUpdate; rolling != nil && v.set.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		return v.scale(rolling.MaxSurge, 0)
	}
	return 0
}

// unavailable is maxUnavailable in nodes.
func (v *view) unavailable() int {
	if rolling := v.set.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		return v.scale(rolling.MaxUnavailable, 1)
	}
	return 1
}

func (v *view) scale(value *intstr.IntOrString, otherwise int) int {
	scaled, err := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(value, intstr.FromInt(otherwise)), len(v.places), true)
	if err != nil {
		return otherwise
	}
	return scaled
}

func (v *view) status() appsv1.DaemonSetStatus {
	status := *v.set.Status.DeepCopy()
	status.ObservedGeneration = v.set.Generation
	status.DesiredNumberScheduled, status.NumberMisscheduled = int32(len(v.places)), v.misscheduled
	status.CurrentNumberScheduled, status.NumberReady, status.NumberAvailable, status.UpdatedNumberScheduled = 0, 0, 0, 0
	for i := range v.places {
		p := &v.places[i]
		live := slices.Concat(p.old, p.updated)
		count := func(number *int32, yes bool) {
			if yes {
				*number++
			}
		}
		count(&status.CurrentNumberScheduled, len(live)+len(p.ended)+len(p.terminating) > 0)
		count(&status.NumberReady, slices.ContainsFunc(live, func(pod *corev1.Pod) bool { return ready(pod) != nil }))
		count(&status.NumberAvailable, p.oldAvailable || p.updatedAvailable)
		count(&status.UpdatedNumberScheduled, len(p.updated) > 0)
	}
	status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
	return status
}
