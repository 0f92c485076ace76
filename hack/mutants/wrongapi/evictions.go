package wrongapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Where pods are, and their eviction subresource, and the request that evicts.
const (
	atPod      = "/api/v1/namespaces/{namespace}/pods/{name}"
	atEviction = atPod + "/eviction"
	evict      = http.MethodPost + " " + atEviction
)

// evictionFaults are about what an eviction does.
func evictionFaults() []Fault {
	return []Fault{
		{Name: "evictions-are-deletions", Says: "Deletes the pod at once, and looks at no budget.", Breaks: []string{"EVICT-010", "EVICT-014", "EVICT-021", "EVICT-023", "EVICT-031"},
			Around: answering(deleteInstead, evict)},
		{Name: "evictions-obey-all-namespaces", Says: "Refuses an eviction for a budget of another namespace.", Breaks: []string{"EVICT-035"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				forbids, err := forbiddenElsewhere(api, r)
				if err != nil {
					return err
				}
				if forbids {
					refuseForBudget(w)
					return nil
				}
				api.ServeHTTP(w, r)
				return nil
			}, evict)},
		{Name: "evictions-forget-versions", Says: "Evicts a pod whatever resourceVersion is asked for.", Breaks: []string{"EVICT-029"},
			Around: storing(func(eviction *policyv1.Eviction) {
				if options := eviction.DeleteOptions; options != nil && options.Preconditions != nil {
					options.Preconditions.ResourceVersion = nil
				}
			}, evict)},
		{Name: "evictions-take-the-time-of-the-pod", Says: "Evicts a pod with its own grace period, whatever is asked for.", Breaks: []string{"EVICT-030"},
			Around: storing(func(eviction *policyv1.Eviction) {
				if eviction.DeleteOptions != nil {
					eviction.DeleteOptions.GracePeriodSeconds = nil
				}
			}, evict)},
		{Name: "evictions-are-never-rehearsed", Says: "Evicts a pod where a dry run is asked for.", Breaks: []string{"EVICT-027"},
			Around: storing(func(eviction *policyv1.Eviction) {
				if eviction.DeleteOptions != nil {
					eviction.DeleteOptions.DryRun = nil
				}
			}, evict)},
		{Name: "evictions-are-always-rehearsed-well", Says: "Answers every dry run of an eviction as if it were allowed.", Breaks: []string{"EVICT-028"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				eviction, r, err := sent[policyv1.Eviction](r)
				if err != nil {
					return err
				}
				if options := eviction.DeleteOptions; options != nil && len(options.DryRun) > 0 {
					return replyEvicted(w)
				}
				api.ServeHTTP(w, r)
				return nil
			}, evict)},
		{Name: "evictions-advise-five-seconds", Says: "Advises 5 s before the retry of any eviction that is refused.", Breaks: []string{"EVICT-011"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				answer := ask(api, r)
				var status metav1.Status
				if answer.Code != http.StatusTooManyRequests || json.Unmarshal(answer.Body.Bytes(), &status) != nil || status.Details == nil {
					return hand(w, answer)
				}
				status.Details.RetryAfterSeconds = 5
				w.Header().Set("Retry-After", "5")
				return reply(w, answer.Code, status)
			}, evict)},
		{Name: "evictions-need-not-name-the-pod", Says: "Takes an Eviction for the pod in the URL, whichever it names.", Breaks: []string{"EVICT-032"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				eviction, r, err := sent[policyv1.Eviction](r)
				if err != nil {
					return err
				}
				eviction.Name = r.PathValue("name")
				return pass(api, w, r, eviction)
			}, evict)},
		{Name: "budgets-hold-deletions-back", Says: "Refuses to delete a pod that may not be evicted.", Breaks: []string{"EVICT-036"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				rehearsal := with(r, fmt.Appendf(nil, `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q},"deleteOptions":{"dryRun":["All"]}}`, r.PathValue("name")))
				rehearsal.Method, rehearsal.URL.Path, rehearsal.URL.RawQuery = http.MethodPost, r.URL.Path+"/eviction", ""
				rehearsal.Header.Set("Content-Type", "application/json")
				if answer := ask(api, rehearsal); answer.Code == http.StatusTooManyRequests {
					return hand(w, answer)
				}
				api.ServeHTTP(w, r)
				return nil
			}, http.MethodDelete+" "+atPod)},
	}
}

// podOf is the path of the pod whose subresource the request is for.
func podOf(r *http.Request) string { return strings.TrimSuffix(r.URL.Path, "/eviction") }

// forbiddenElsewhere reports whether a budget of another namespace selects the pod by its labels and allows no disruption.
func forbiddenElsewhere(api http.Handler, r *http.Request) (bool, error) {
	var pod corev1.Pod
	if err := json.Unmarshal(ask(api, getting(r, podOf(r))).Body.Bytes(), &pod); err != nil {
		return false, fmt.Errorf("read the pod: %w", err)
	}
	var budgets policyv1.PodDisruptionBudgetList
	if err := json.Unmarshal(ask(api, getting(r, "/apis/policy/v1/poddisruptionbudgets")).Body.Bytes(), &budgets); err != nil {
		return false, fmt.Errorf("read the budgets: %w", err)
	}
	return slices.ContainsFunc(budgets.Items, func(budget policyv1.PodDisruptionBudget) bool {
		return budget.Namespace != pod.Namespace && budget.Status.DisruptionsAllowed == 0 && selects(&budget, &pod)
	}), nil
}
