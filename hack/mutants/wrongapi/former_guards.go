package wrongapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// formerGuardFaults are about budgets that are gone, and pods that a budget guards by their controller.
func formerGuardFaults() []Fault {
	return []Fault{
		{Name: "evictions-obey-deleted-budgets", Says: "Refuses an eviction for a budget that allowed none when it was deleted.", Breaks: []string{"PDB-029"}, Around: remembering},
		{Name: "evictions-of-daemon-pods-are-deletions", Says: "Deletes the pod of a DaemonSet at once where it is to be evicted, and looks at no budget.", Breaks: []string{"CROSS-001"},
			Around: treating(func(pod *corev1.Pod, _ *policyv1.PodDisruptionBudget) treatment {
				controller := metav1.GetControllerOf(pod)
				return deletedIf(controller != nil && controller.Kind == "DaemonSet")
			})},
	}
}

// remembering has evictions refused for budgets that allowed no disruption when they were deleted.
func remembering(api http.Handler) http.Handler {
	var (
		former []policyv1.PodDisruptionBudget
		mutex  sync.Mutex
	)
	refuses := answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		pod, _, err := concerned(api, r)
		if err != nil {
			return err
		}
		mutex.Lock()
		guarded := slices.ContainsFunc(former, func(budget policyv1.PodDisruptionBudget) bool {
			return budget.Namespace == pod.Namespace && selects(&budget, pod)
		})
		mutex.Unlock()
		if guarded {
			refuseForBudget(w)
			return nil
		}
		api.ServeHTTP(w, r)
		return nil
	}, evict)
	return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		var budget policyv1.PodDisruptionBudget
		if err := json.Unmarshal(ask(api, getting(r, r.URL.Path)).Body.Bytes(), &budget); err != nil {
			return fmt.Errorf("read the budget: %w", err)
		}
		if budget.Status.DisruptionsAllowed == 0 {
			mutex.Lock()
			former = append(former, budget)
			mutex.Unlock()
		}
		api.ServeHTTP(w, r)
		return nil
	}, http.MethodDelete+" "+atBudget)(refuses(api))
}
