package situation

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Situations of the recorded pods, whoever's they are.

// PodLeaving is while a pod is terminating.
func PodLeaving() judge.Situation {
	return among("while a pod is terminating", func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// PodUnready is while a live pod is not Ready.
func PodUnready() judge.Situation {
	return among("while a pod is not Ready", func(pod *corev1.Pod) bool { return history.IsLive(pod) && !history.IsReady(pod) })
}

// PodEnded is while a pod has ended.
func PodEnded() judge.Situation { return among("while a pod has ended", history.IsTerminal) }

// StartedAnew is after the implementation was put to work anew.
func StartedAnew() judge.Situation {
	return of("after the implementation was restarted", func(t judge.Test) bool { return t.Restarted() })
}

// among is the situation that there is such a pod.
func among(name string, such func(*corev1.Pod) bool) judge.Situation {
	return of(name, func(t judge.Test) bool {
		for _, pod := range t.Cluster.Pods {
			if such(pod) {
				return true
			}
		}
		return false
	})
}
