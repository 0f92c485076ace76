package variants

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenEvents take no notice of changes that they take for their own, or for ones that mean nothing.
func brokenEvents() []Variant {
	return []Variant{
		{Name: "takes-no-notice-of-a-revision-label", Says: "Takes no notice of a pod's revision label that changed until something else about the DaemonSet or its pods does.",
			Breaks: []string{"HISTORY-024"}, Planner: remember(wakeForNoRevisionLabel)},
		{Name: "writes-each-status-once", Says: "Does not write a status again that it has seen to be written, though somebody else has written another since.",
			Breaks: []string{"STATUS-001", "STATUS-005"}, Planner: remember(writeOnce)},
		{Name: "takes-no-notice-of-how-pods-terminate", Says: "Takes a pod that is being deleted for what it was when that began, until it is gone.",
			Breaks: []string{"DRAIN-007"}, Planner: remember(asTheyBegan)},
	}
}

// labelsWhenWoken are the revision labels of pods as they were when last something else changed.
type labelsWhenWoken struct {
	wakes  string
	labels map[types.UID]string
}

func wakeForNoRevisionLabel(m *memory[labelsWhenWoken]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		seen, wakes := m.of(*state), whatWakesBesideLabels(*state)
		if seen.wakes != wakes {
			*seen = labelsWhenWoken{wakes: wakes, labels: map[types.UID]string{}}
			for _, pod := range state.Pods {
				seen.labels[pod.UID] = pod.Labels[plan.HashLabel]
			}
			return
		}
		changePods(state, func(pod *corev1.Pod) bool { return seen.labels[pod.UID] != pod.Labels[plan.HashLabel] }, func(pod *corev1.Pod) {
			pod.Labels[plan.HashLabel] = seen.labels[pod.UID]
		})
	})
}

// whatWakesBesideLabels are the DaemonSet in its version, and its pods but for their revision labels.
func whatWakesBesideLabels(state plan.State) string {
	words := []string{state.DaemonSet.ResourceVersion}
	for _, pod := range state.Pods {
		labels := maps.Clone(pod.Labels)
		delete(labels, plan.HashLabel)
		words = append(words, fmt.Sprint(pod.UID, pod.DeletionTimestamp, metav1.IsControlledBy(pod, state.DaemonSet), labels, pod.Status.Phase, pod.Status.Conditions))
	}
	// A cache has no order.
	slices.Sort(words)
	return strings.Join(words, " ")
}

// statusSeen is the last status that needed no writing; nil if the last one did.
type statusSeen struct{ status *appsv1.DaemonSetStatus }

func writeOnce(m *memory[statusSeen]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		seen := m.of(state)
		switch {
		case actions.Status == nil:
			seen.status = state.DaemonSet.Status.DeepCopy()
		case seen.status != nil && apiequality.Semantic.DeepEqual(seen.status, actions.Status):
			actions.Status = nil
		default:
			seen.status = nil
		}
	})
}

// phases are those in which pods were when they were first seen to be deleted.
type phases map[types.UID]corev1.PodPhase

func asTheyBegan(m *memory[phases]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		before, now := *m.of(*state), phases{}
		for _, pod := range state.Pods {
			if pod.DeletionTimestamp == nil {
				continue
			}
			now[pod.UID] = pod.Status.Phase
			if began, known := before[pod.UID]; known {
				now[pod.UID] = began
			}
		}
		*m.of(*state) = now
		changePods(state, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil }, func(pod *corev1.Pod) { pod.Status.Phase = now[pod.UID] })
	})
}
