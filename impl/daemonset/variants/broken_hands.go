package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenHands ignore what others do to pods.
func brokenHands() []Variant {
	return []Variant{
		{Name: "remembers-the-revision-of-a-pod", Says: "Keeps to the revision label with which it saw a pod first.",
			Breaks: []string{"HISTORY-024"}, Planner: remember(firstLabels)},
	}
}

func firstLabels(m *memory[map[types.UID]string]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		all := m.of(*state)
		if *all == nil {
			*all = map[types.UID]string{}
		}
		for _, pod := range state.Pods {
			if (*all)[pod.UID] == "" {
				(*all)[pod.UID] = pod.Labels[plan.HashLabel]
			}
		}
		changePods(state, func(pod *corev1.Pod) bool { return (*all)[pod.UID] != pod.Labels[plan.HashLabel] }, func(pod *corev1.Pod) {
			pod.Labels[plan.HashLabel] = (*all)[pod.UID]
		})
	})
}
