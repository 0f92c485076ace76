package wrongapi

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The requests by which UnitedDaemonSets are created, and their statuses written.
const (
	createUnited       = "POST /apis/{group}/{version}/namespaces/{namespace}/uniteddaemonsets"
	patchUnitedStatus  = "PATCH /apis/{group}/{version}/namespaces/{namespace}/uniteddaemonsets/{name}/status"
	updateUnitedStatus = "PUT /apis/{group}/{version}/namespaces/{namespace}/uniteddaemonsets/{name}/status"
)

// unitedFaults are about which UnitedDaemonSets are taken, and which pod update policies.
func unitedFaults() []Fault {
	return []Fault{
		{Name: "united-has-no-status", Says: "Serves no status subresource of UnitedDaemonSets.", Breaks: []string{"UNITED-001"},
			Around: answering(func(_ http.Handler, w http.ResponseWriter, _ *http.Request) error {
				refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
				return nil
			}, updateUnitedStatus, patchUnitedStatus)},
		{Name: "united-takes-any-target", Says: "Takes a UnitedDaemonSet whose targetRef is wrong.", Breaks: []string{"UNITED-002"}, Around: believing("targetRef", createUnited)},
		{Name: "united-takes-nameless-subsets", Says: "Takes a UnitedDaemonSet with a subset that has no name.", Breaks: []string{"UNITED-003"},
			Around: believing("subsets[0].name", createUnited)},
		{Name: "united-takes-two-subsets-of-a-name", Says: "Takes a UnitedDaemonSet with two subsets of one name.", Breaks: []string{"UNITED-003"},
			Around: believing("Duplicate value", createUnited)},
		{Name: "united-takes-any-selector", Says: "Takes a UnitedDaemonSet with a subset that selects nodes both ways, or neither way.", Breaks: []string{"UNITED-004"},
			Around: believing("selector", createUnited)},
		{Name: "united-keeps-strategies-of-subsets", Says: "Says that it stored all that a UnitedDaemonSet was created with.", Breaks: []string{"UNITED-026"},
			Around: telling(func(sent, stored *map[string]any) {
				for _, field := range []string{"apiVersion", "kind", "spec"} {
					(*stored)[field] = (*sent)[field]
				}
			}, createUnited)},
		{Name: "api-takes-any-update-policy", Says: "Takes any pod update policy.", Breaks: []string{"INPLACE-001"},
			Around: believing("InPlaceIfPossible", createDaemonSet, updateDaemonSet)},
	}
}

// meteringFaults are about the metrics of the API server.
func meteringFaults() []Fault {
	return []Fault{
		{Name: "api-counts-no-budgets", Says: "Leaves PodDisruptionBudgets out of its metrics.", Breaks: []string{"PDB-033"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				answer := ask(api, r)
				var kept strings.Builder
				for line := range strings.Lines(answer.Body.String()) {
					if !strings.Contains(line, "poddisruptionbudgets") {
						kept.WriteString(line)
					}
				}
				w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
				w.WriteHeader(answer.Code)
				_, err := w.Write([]byte(kept.String()))
				return err
			}, "GET /metrics")},
	}
}
