package wrongapi

import (
	"encoding/json"
	"net/http"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// requestFaults are about which requests the eviction subresource takes, and what is said about it.
func requestFaults() []Fault {
	return []Fault{
		{Name: "evictions-of-any-version", Says: "Takes an Eviction of a version that there is not.", Breaks: []string{"EVICT-004"},
			Around: storing(func(eviction *policyv1.Eviction) {
				eviction.APIVersion, eviction.Kind = policyv1.SchemeGroupVersion.String(), "Eviction"
			}, evict)},
		{Name: "evictions-of-v1beta1-are-unknown", Says: "Refuses an Eviction of policy/v1beta1.", Breaks: []string{"EVICT-002"},
			Around: refusing(func(eviction *policyv1.Eviction) string {
				if eviction.APIVersion == "policy/v1beta1" {
					return "there is no such version"
				}
				return ""
			}, evict)},
		{Name: "evictions-need-a-type", Says: "Refuses an Eviction without apiVersion and kind.", Breaks: []string{"EVICT-003"},
			Around: refusing(func(eviction *policyv1.Eviction) string {
				if eviction.APIVersion == "" {
					return "apiVersion: required"
				}
				return ""
			}, evict)},
		{Name: "evictions-may-ignore-store-errors", Says: "Evicts a pod where read errors of the store are to be ignored, as if that were not asked for.", Breaks: []string{"EVICT-033"},
			Around: storing(func(eviction *policyv1.Eviction) {
				if eviction.DeleteOptions != nil {
					eviction.DeleteOptions.IgnoreStoreReadErrorWithClusterBreakingPotential = nil
				}
			}, evict)},
		{Name: "evictions-can-be-read", Says: "Answers a GET of the eviction subresource with an Eviction.", Breaks: []string{"EVICT-005"},
			Around: answering(func(_ http.Handler, w http.ResponseWriter, r *http.Request) error {
				return reply(w, http.StatusOK, policyv1.Eviction{
					TypeMeta:   metav1.TypeMeta{APIVersion: policyv1.SchemeGroupVersion.String(), Kind: "Eviction"},
					ObjectMeta: metav1.ObjectMeta{Name: r.PathValue("name"), Namespace: r.PathValue("namespace")},
				})
			}, http.MethodGet+" "+atEviction)},
		{Name: "evictions-can-be-patched", Says: "Answers a PATCH of the eviction subresource with the pod.", Breaks: []string{"EVICT-006"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				return hand(w, ask(api, getting(r, podOf(r))))
			}, http.MethodPatch+" "+atEviction)},
		{Name: "evictions-are-listed-as-v1beta1", Says: "Lists the eviction subresource with policy/v1beta1.", Breaks: []string{"EVICT-007", "EVICT-008"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				answer := ask(api, r)
				var list metav1.APIResourceList
				if answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &list) != nil {
					return hand(w, answer)
				}
				for i := range list.APIResources {
					if resource := &list.APIResources[i]; resource.Name == "pods/eviction" {
						resource.Version = "v1beta1"
					}
				}
				return reply(w, http.StatusOK, list)
			}, "GET /api/v1")},
	}
}
