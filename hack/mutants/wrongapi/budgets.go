package wrongapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Where PodDisruptionBudgets are, and the requests by which they are written.
const (
	atBudgets      = "/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
	atBudget       = atBudgets + "/{name}"
	createBudget   = http.MethodPost + " " + atBudgets
	updateBudget   = http.MethodPut + " " + atBudget
	patchBudget    = http.MethodPatch + " " + atBudget
	patchOfStatus  = patchBudget + "/status"
	deleteBudgets  = http.MethodDelete + " " + atBudgets
	contentOfPatch = "Content-Type"
)

// budgetFaults are about the API of PodDisruptionBudgets.
func budgetFaults() []Fault {
	return []Fault{
		{Name: "budgets-take-no-patch", Says: "Patches no PodDisruptionBudget.", Breaks: []string{"PDBAPI-001"},
			Around: answering(func(_ http.Handler, w http.ResponseWriter, _ *http.Request) error {
				refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "budgets are not patched")
				return nil
			}, patchBudget)},
		{Name: "budgets-go-all-together", Says: "Deletes all budgets of a namespace, whatever the selector.", Breaks: []string{"PDBAPI-002"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				r.URL.RawQuery = ""
				api.ServeHTTP(w, r)
				return nil
			}, deleteBudgets)},
		{Name: "budgets-take-anything", Says: "Takes any limits, policies and counters.", Breaks: []string{"PDBAPI-004", "PDBAPI-005", "PDBAPI-007", "PDBAPI-014"},
			Around: believing("", createBudget, patchOfStatus)},
		{Name: "budgets-have-the-status-given", Says: "Says that it stored the status that a budget was written with.", Breaks: []string{"PDBAPI-006"},
			Around: telling(func(sent, stored *policyv1.PodDisruptionBudget) { stored.Status = sent.Status }, createBudget, updateBudget)},
		{Name: "budgets-are-applied-with-their-status", Says: "Says that it stored the status of a budget that server-side apply creates.", Breaks: []string{"PDBAPI-006"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				if r.Header.Get(contentOfPatch) != string(types.ApplyPatchType) {
					api.ServeHTTP(w, r)
					return nil
				}
				return tellOfNew(api, w, r)
			}, patchBudget)},
		{Name: "budgets-need-no-version", Says: "Replaces a budget whose resourceVersion is not given.", Breaks: []string{"PDBAPI-008"},
			Around: answering(replaceLatest, updateBudget)},
		{Name: "budgets-keep-the-synthetic-key", Says: "Says that it stored the selector that was sent.", Breaks: []string{"PDBAPI-012"},
			Around: telling(func(sent, stored *policyv1.PodDisruptionBudget) { stored.Spec.Selector = sent.Spec.Selector }, createBudget, updateBudget)},
		{Name: "budgets-merge-selectors", Says: "Merges selectors by a strategic merge patch.", Breaks: []string{"PDBAPI-013"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				if r.Header.Get(contentOfPatch) == string(types.StrategicMergePatchType) {
					r.Header.Set(contentOfPatch, string(types.MergePatchType))
				}
				api.ServeHTTP(w, r)
				return nil
			}, patchBudget)},
	}
}

// tellOfNew answers a patch that creates a budget with the status that was sent.
func tellOfNew(api http.Handler, w http.ResponseWriter, r *http.Request) error {
	asked, r, err := sent[policyv1.PodDisruptionBudget](r)
	if err != nil {
		return err
	}
	answer := ask(api, r)
	if answer.Code != http.StatusCreated {
		return hand(w, answer)
	}
	var stored policyv1.PodDisruptionBudget
	if err := json.Unmarshal(answer.Body.Bytes(), &stored); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	stored.Status = asked.Status
	return reply(w, answer.Code, stored)
}

// replaceLatest gives a budget that is to replace another the other's resourceVersion, unless it has one.
func replaceLatest(api http.Handler, w http.ResponseWriter, r *http.Request) error {
	asked, r, err := sent[policyv1.PodDisruptionBudget](r)
	if err != nil {
		return err
	}
	var stored policyv1.PodDisruptionBudget
	if answer := ask(api, getting(r, r.URL.Path)); answer.Code == http.StatusOK && asked.ResourceVersion == "" {
		if err := json.Unmarshal(answer.Body.Bytes(), &stored); err != nil {
			return err
		}
		asked.ResourceVersion = stored.ResourceVersion
	}
	return pass(api, w, r, asked)
}
