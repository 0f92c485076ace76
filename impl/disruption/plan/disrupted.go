package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// disrupted returns the entries of disruptedPods that stay: those of selected pods that the API server is about to delete for an eviction, and that are not
// seen terminating yet (PDB-012, PDB-016). One that is too old is given up, with an event (PDB-014).
func (p *pass) disrupted(selected []*corev1.Pod) map[string]metav1.Time {
	kept := map[string]metav1.Time{}
	for _, pod := range slices.SortedFunc(slices.Values(selected), compareNames) {
		granted, listed := p.state.Budget.Status.DisruptedPods[pod.Name]
		if !listed || pod.DeletionTimestamp != nil {
			continue
		}
		if expires := granted.Add(DeletionTimeout); expires.After(p.now) {
			kept[pod.Name] = granted
			p.comeBack(expires)
			continue
		}
		p.events = append(p.events, notDeleted(p.state, pod))
	}
	return kept
}

func notDeleted(state State, pod *corev1.Pod) Event {
	return Event{Pod: pod, Type: corev1.EventTypeWarning, Reason: EventNotDeleted,
		Message: fmt.Sprintf("Pod was expected by PodDisruptionBudget %s/%s to be deleted within %s of its eviction, but it was not",
			state.Budget.Namespace, state.Budget.Name, DeletionTimeout)}
}

// healthy counts the healthy pods without those whose eviction was granted (PDB-013).
func healthy(selected []*corev1.Pod, disrupted map[string]metav1.Time) int32 {
	var count int32
	for _, pod := range selected {
		if _, leaving := disrupted[pod.Name]; !leaving && IsHealthy(pod) {
			count++
		}
	}
	return count
}
