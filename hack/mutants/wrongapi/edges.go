package wrongapi

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/utils/ptr"
)

// edgeFaults are right about what is asked for most, and wrong beside it.
func edgeFaults() []Fault {
	return []Fault{
		{Name: "budgets-take-anything-later", Says: "Takes any limits and policies when a budget is changed.", Breaks: []string{"PDBAPI-004", "PDBAPI-005", "PDBAPI-014"},
			Around: believing("", updateBudget, patchBudget)},
		{Name: "evictions-without-grace-have-some", Says: "Evicts a pod with its own grace period where 0 is asked for.", Breaks: []string{"EVICT-030"},
			Around: storing(func(eviction *policyv1.Eviction) {
				if options := eviction.DeleteOptions; options != nil && ptr.Deref(options.GracePeriodSeconds, 0) == 0 {
					options.GracePeriodSeconds = nil
				}
			}, evict)},
	}
}
