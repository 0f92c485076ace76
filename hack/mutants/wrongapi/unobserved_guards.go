package wrongapi

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// unobservedGuardFaults are about budgets whose spec nobody has observed yet.
func unobservedGuardFaults() []Fault {
	return []Fault{
		{Name: "unobserved-budgets-guard-every-pod", Says: "Refuses the eviction of any pod while the spec of its budget was not observed, also of one that a budget does not guard.",
			Breaks: []string{"EVICT-017", "EVICT-018", "EVICT-019"},
			Around: treating(func(pod *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment {
				phase := pod.Status.Phase
				unguarded := pod.DeletionTimestamp != nil || phase == corev1.PodPending || phase == corev1.PodSucceeded || phase == corev1.PodFailed
				if unguarded && budget.Status.ObservedGeneration < budget.Generation {
					return refused
				}
				return usual
			})},
	}
}
