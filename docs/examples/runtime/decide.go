package main

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// state is what one reconciliation goes by.
type state struct {
	set       *appsv1.DaemonSet
	hash      string // of the current revision
	nodes     []nodeState
	unwanted  []*corev1.Pod
	misplaced int32
	next      time.Duration // when a Ready pod becomes available; 0 for never
}

// nodeState is a node that should run a daemon. The pod to be kept comes first in each list.
type nodeState struct {
	name                                string
	current, previous, ended            []*corev1.Pod
	terminating                         bool
	currentAvailable, previousAvailable bool
	ready                               bool
}

func (n *nodeState) available() bool { return n.currentAvailable || n.previousAvailable }

func (n *nodeState) empty() bool { return len(n.current)+len(n.previous)+len(n.ended) == 0 }

func observe(set *appsv1.DaemonSet, nodes []corev1.Node, pods []*corev1.Pod, hash string, now time.Time) *state {
	byNode := map[string][]*corev1.Pod{}
	for _, pod := range pods {
		name := nodeOf(pod)
		byNode[name] = append(byNode[name], pod)
	}
	s := &state{set: set, hash: hash}
	for i := range nodes {
		node := &nodes[i]
		here := byNode[node.Name]
		delete(byNode, node.Name)
		if wanted, tolerated := belongs(set, node); !wanted {
			if len(here) > 0 {
				s.misplaced++
			}
			for _, pod := range here {
				// While pods are replaced by surging, one that is of no use any more has nothing to wait for.
				if !tolerated || s.maxSurge() > 0 && !s.isCurrent(pod) && !s.isAvailable(pod, now) {
					s.unwanted = append(s.unwanted, pod)
				}
			}
			continue
		}
		s.nodes = append(s.nodes, s.observeNode(node.Name, here, now))
	}
	for _, orphaned := range byNode {
		s.unwanted = append(s.unwanted, orphaned...)
	}
	return s
}

func (s *state) observeNode(name string, pods []*corev1.Pod, now time.Time) nodeState {
	n := nodeState{name: name}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	for _, pod := range pods {
		ended := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
		if !pod.DeletionTimestamp.IsZero() {
			n.terminating = n.terminating || !ended
			continue
		}
		if ended {
			n.ended = append(n.ended, pod)
			continue
		}
		available := s.isAvailable(pod, now)
		n.ready = n.ready || readySince(pod) != nil
		switch {
		case s.isCurrent(pod):
			n.current = append(n.current, pod)
			n.currentAvailable = n.currentAvailable || available && len(n.current) == 1
		case available && !n.previousAvailable:
			n.previous = append([]*corev1.Pod{pod}, n.previous...)
			n.previousAvailable = true
		default:
			n.previous = append(n.previous, pod)
		}
	}
	return n
}

// isCurrent reports whether a pod is of the current template, by its generation or its revision.
func (s *state) isCurrent(pod *corev1.Pod) bool {
	generation := s.set.Annotations[appsv1.DeprecatedTemplateGeneration]
	return pod.Labels[appsv1.ControllerRevisionHashLabelKey] == s.hash ||
		generation != "" && pod.Labels[generationLabel] == generation
}

// current returns the pods of the current template.
func (s *state) current() [][]*corev1.Pod {
	pods := make([][]*corev1.Pod, 0, len(s.nodes))
	for i := range s.nodes {
		pods = append(pods, s.nodes[i].current)
	}
	return pods
}

func readySince(pod *corev1.Pod) *time.Time {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			return &condition.LastTransitionTime.Time
		}
	}
	return nil
}

// isAvailable reports whether a pod has been Ready for minReadySeconds; if it has yet to be, the state remembers when that is.
func (s *state) isAvailable(pod *corev1.Pod, now time.Time) bool {
	since := readySince(pod)
	if since == nil || !pod.DeletionTimestamp.IsZero() {
		return false
	}
	if s.set.Spec.MinReadySeconds == 0 {
		return true
	}
	if since.IsZero() {
		return false
	}
	left := since.Add(time.Duration(s.set.Spec.MinReadySeconds) * time.Second).Sub(now)
	if left <= 0 {
		return true
	}
	s.next = earlier(s.next, left)
	return false
}

// decide returns the nodes on which pods are created, the pods that are deleted, and those that have ended and are deleted after a while.
func (s *state) decide() (creates []string, deletes, ended []*corev1.Pod) {
	for _, pod := range s.unwanted {
		if pod.DeletionTimestamp.IsZero() {
			deletes = append(deletes, pod)
		}
	}
	maxSurge := s.maxSurge()
	surging, unavailable := 0, 0
	for i := range s.nodes {
		n := &s.nodes[i]
		ended = append(ended, n.ended...)
		// The others are too many.
		deletes = append(deletes, n.current[min(1, len(n.current)):]...)
		deletes = append(deletes, n.previous[min(1, len(n.previous)):]...)
		if n.empty() && (!n.terminating || maxSurge > 0) {
			creates = append(creates, n.name)
		}
		if len(n.current) > 0 && !n.currentAvailable && n.previousAvailable {
			surging++
		}
		if !n.available() {
			unavailable++
		}
	}
	if s.set.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return creates, deletes, ended
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		switch {
		case len(n.previous) == 0:
		case n.currentAvailable:
			deletes = append(deletes, n.previous[0])
		case maxSurge > 0:
			if len(n.current) > 0 || len(n.ended) > 0 {
				continue // until that is available, or replaced
			}
			if n.previousAvailable {
				if surging >= maxSurge {
					continue
				}
				surging++
			}
			creates = append(creates, n.name)
		case !n.previousAvailable:
			deletes = append(deletes, n.previous[0])
		case len(n.current) > 0: // of a time when it surged
			deletes = append(deletes, n.current[0])
		case unavailable < s.maxUnavailable():
			unavailable++
			deletes = append(deletes, n.previous[0])
		}
	}
	return creates, deletes, ended
}

// maxSurge is the limit in nodes, 0 with any other strategy.
func (s *state) maxSurge() int {
	rolling := s.set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || s.set.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return 0
	}
	return s.scale(rolling.MaxSurge, 0)
}

// maxUnavailable is the limit in nodes.
func (s *state) maxUnavailable() int {
	return s.scale(ptr.Deref(s.set.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{}).MaxUnavailable, 1)
}

func (s *state) scale(value *intstr.IntOrString, otherwise int) int {
	scaled, err := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(value, intstr.FromInt(otherwise)), len(s.nodes), true)
	if err != nil {
		return otherwise
	}
	return scaled
}

func (s *state) status() appsv1.DaemonSetStatus {
	status := *s.set.Status.DeepCopy()
	status.ObservedGeneration = s.set.Generation
	status.DesiredNumberScheduled = int32(len(s.nodes))
	status.NumberMisscheduled = s.misplaced
	status.CurrentNumberScheduled, status.UpdatedNumberScheduled, status.NumberReady, status.NumberAvailable = 0, 0, 0, 0
	for i := range s.nodes {
		n := &s.nodes[i]
		if !n.empty() || n.terminating {
			status.CurrentNumberScheduled++
		}
		if len(n.current) > 0 {
			status.UpdatedNumberScheduled++
		}
		if n.ready {
			status.NumberReady++
		}
		if n.available() {
			status.NumberAvailable++
		}
	}
	status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
	return status
}
