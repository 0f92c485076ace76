package wrongapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// passedGuardFaults are about evictions that are made in another form than most, and about pods that several budgets select.
func passedGuardFaults() []Fault {
	return []Fault{
		{Name: "evictions-of-other-forms-ask-no-budget", Says: "Evicts a pod whatever its budget, unless the Eviction is one of policy/v1.", Breaks: []string{"EVICT-002", "EVICT-003"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				eviction, r, err := sent[policyv1.Eviction](r)
				if err != nil {
					return err
				}
				if eviction.APIVersion == policyv1.SchemeGroupVersion.String() || eviction.DeleteOptions != nil {
					api.ServeHTTP(w, r)
					return nil
				}
				if err := disrupt(api, r); err != nil {
					return err
				}
				return deleteInstead(api, w, r)
			}, evict)},
		{Name: "evictions-look-for-several-budgets-first", Says: "Does not evict a pod that several budgets select, though they do not guard it since it does not run.",
			Breaks: []string{"EVICT-017", "EVICT-018"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				_, budgets, err := concerned(api, r)
				if err != nil {
					return err
				}
				if len(budgets) > 1 {
					refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
					return nil
				}
				api.ServeHTTP(w, r)
				return nil
			}, evict)},
		{Name: "unguarded-evictions-are-not-rehearsed", Says: "Evicts a pod that no budget selects where a dry run is asked for.", Breaks: []string{"EVICT-027"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				eviction, r, err := sent[policyv1.Eviction](r)
				if err != nil {
					return err
				}
				_, budgets, err := concerned(api, r)
				if err != nil {
					return err
				}
				if options := eviction.DeleteOptions; options != nil && len(budgets) == 0 {
					options.DryRun = nil
				}
				return pass(api, w, r, eviction)
			}, evict)},
	}
}

// disrupt sets the condition that an eviction leaves on the pod that the request is for.
func disrupt(api http.Handler, r *http.Request) error {
	body, err := json.Marshal(map[string]any{"status": corev1.PodStatus{Conditions: []corev1.PodCondition{{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI", LastTransitionTime: metav1.Now(),
	}}}})
	if err != nil {
		return err
	}
	writing := with(r, body)
	writing.Method, writing.URL.Path, writing.URL.RawQuery = http.MethodPatch, podOf(r)+"/status", ""
	writing.Header.Set(contentOfPatch, string(types.StrategicMergePatchType))
	if answer := ask(api, writing); answer.Code != http.StatusOK {
		return fmt.Errorf("write the pod's status: %d %s", answer.Code, answer.Body)
	}
	return nil
}
