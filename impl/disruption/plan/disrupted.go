package plan

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// disrupted returns the entries of disruptedPods that stay: those of selected pods that the API server is about to delete for an eviction, and that are not
// seen terminating yet (PDB-012, PDB-016). One that is too old is given up, with an event if the pod is still there (PDB-014).
func (p *pass) disrupted(selected []*corev1.Pod) map[string]metav1.Time {
	entries := p.state.Budget.Status.DisruptedPods
	if len(entries) == 0 {
		return nil
	}
	byName := make(map[string]*corev1.Pod, len(selected))
	for _, pod := range selected {
		byName[pod.Name] = pod
	}
	others := map[string]bool{}
	for _, pod := range p.state.Pods {
		others[pod.Name] = byName[pod.Name] == nil
	}
	kept := map[string]metav1.Time{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		pod, granted := byName[name], entries[name]
		expires := granted.Add(DeletionTimeout)
		switch {
		case pod == nil && (p.state.Gone[name] || others[name]), pod != nil && pod.DeletionTimestamp != nil:
		case !expires.After(p.now):
			if pod != nil {
				p.events = append(p.events, notDeleted(p.state, pod))
			}
		default:
			kept[name] = granted
			p.comeBack(expires)
			if pod == nil {
				p.comeBack(p.now.Add(lookAgain))
			}
		}
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
