package wrongapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// treatment is what an API server does with the eviction of a pod that a budget selects.
type treatment int

const (
	// usual is what the API server does that is behind the fault.
	usual treatment = iota
	// deleted: the pod is deleted, and nothing taken off the budget.
	deleted
	// refused: the budget does not allow it.
	refused
	// charged is usual, with the pod taken off the budget before, as a healthy one is.
	charged
)

// guardFaults are about which pods a budget guards, and what their evictions take off it.
func guardFaults() []Fault {
	return []Fault{
		{Name: "evictions-trust-unobserved-budgets", Says: "Evicts by what a budget's status allows, although its generation was not observed.", Breaks: []string{"EVICT-012"},
			Around: treating(func(_ *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment {
				return deletedIf(budget.Status.ObservedGeneration < budget.Generation && budget.Status.DisruptionsAllowed > 0)
			})},
		{Name: "evictions-are-not-counted", Says: "Takes nothing off what a budget allows.", Breaks: []string{"EVICT-014", "EVICT-015"},
			Around: treating(func(_ *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment {
				return deletedIf(budget.Status.DisruptionsAllowed > 0)
			})},
		{Name: "budgets-guard-every-pod", Says: "Refuses the eviction of any pod while its budget allows none.",
			Breaks: []string{"EVICT-017", "EVICT-018", "EVICT-019", "EVICT-020", "EVICT-022"},
			Around: treating(func(_ *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment {
				if budget.Status.DisruptionsAllowed == 0 {
					return refused
				}
				return usual
			})},
		{Name: "evictions-of-any-pod-are-counted", Says: "Takes the eviction of a pod that is not healthy, too, off what its budget allows.",
			Breaks: []string{"EVICT-017", "EVICT-018", "EVICT-019", "EVICT-020"},
			Around: treating(func(pod *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment {
				if budget.Status.DisruptionsAllowed > 0 && (!isReady(pod) || pod.DeletionTimestamp != nil) {
					return charged
				}
				return usual
			})},
		{Name: "budgets-guard-no-unready-pod", Says: "Evicts pods that are not Ready, whatever their budget's policy.", Breaks: []string{"EVICT-020", "EVICT-021"},
			Around: treating(func(pod *corev1.Pod, _ *policyv1.PodDisruptionBudget) treatment { return deletedIf(!isReady(pod)) })},
		{Name: "always-allow-is-for-every-pod", Says: "Evicts Ready pods, too, under AlwaysAllow.", Breaks: []string{"EVICT-022"},
			Around: treating(func(_ *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment {
				policy := budget.Spec.UnhealthyPodEvictionPolicy
				return deletedIf(policy != nil && *policy == policyv1.AlwaysAllow)
			})},
		{Name: "evictions-believe-any-status", Says: "Evicts a pod although its budget lists too many disrupted ones.", Breaks: []string{"EVICT-034"},
			Around: treating(func(_ *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment {
				return deletedIf(len(budget.Status.DisruptedPods) > 2000)
			})},
		{Name: "evictions-need-a-budget", Says: "Refuses the eviction of a pod that no budget selects.", Breaks: []string{"EVICT-009"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				_, budgets, err := concerned(api, r)
				if err != nil {
					return err
				}
				if len(budgets) == 0 {
					refuseForBudget(w)
					return nil
				}
				api.ServeHTTP(w, r)
				return nil
			}, evict)},
		{Name: "evictions-obey-one-budget", Says: "Evicts a pod that several budgets select.", Breaks: []string{"EVICT-026"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				_, budgets, err := concerned(api, r)
				if err != nil {
					return err
				}
				if len(budgets) > 1 {
					return deleteInstead(api, w, r)
				}
				api.ServeHTTP(w, r)
				return nil
			}, evict)},
	}
}

func deletedIf(condition bool) treatment {
	if condition {
		return deleted
	}
	return usual
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
	})
}

// treating has the evictions of pods that a budget selects treated as the function says.
func treating(how func(pod *corev1.Pod, budget *policyv1.PodDisruptionBudget) treatment) around {
	return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		pod, budgets, err := concerned(api, r)
		if err != nil {
			return err
		}
		if len(budgets) == 1 {
			switch how(pod, &budgets[0]) {
			case deleted:
				return deleteInstead(api, w, r)
			case refused:
				refuseForBudget(w)
				return nil
			case charged:
				if err := charge(api, r, pod, &budgets[0]); err != nil {
					return err
				}
			}
		}
		api.ServeHTTP(w, r)
		return nil
	}, evict)
}

// concerned returns the pod that is to be evicted, and the budgets that select it.
func concerned(api http.Handler, r *http.Request) (*corev1.Pod, []policyv1.PodDisruptionBudget, error) {
	pod := &corev1.Pod{}
	if err := json.Unmarshal(ask(api, getting(r, podOf(r))).Body.Bytes(), pod); err != nil {
		return nil, nil, fmt.Errorf("read the pod: %w", err)
	}
	var budgets policyv1.PodDisruptionBudgetList
	path := "/apis/policy/v1/namespaces/" + r.PathValue("namespace") + "/poddisruptionbudgets"
	if err := json.Unmarshal(ask(api, getting(r, path)).Body.Bytes(), &budgets); err != nil {
		return nil, nil, fmt.Errorf("read the budgets: %w", err)
	}
	return pod, slices.DeleteFunc(budgets.Items, func(budget policyv1.PodDisruptionBudget) bool { return !selects(&budget, pod) }), nil
}

func selects(budget *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// deleteInstead deletes the pod, and says that it was evicted.
func deleteInstead(api http.Handler, w http.ResponseWriter, r *http.Request) error {
	answer := ask(api, asking(r, http.MethodDelete, podOf(r)))
	if answer.Code != http.StatusOK {
		return hand(w, answer)
	}
	return replyEvicted(w)
}

func replyEvicted(w http.ResponseWriter) error {
	return reply(w, http.StatusCreated, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess, Code: http.StatusCreated})
}

func refuseForBudget(w http.ResponseWriter) {
	refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "a budget does not allow it", metav1.StatusCause{Type: policyv1.DisruptionBudgetCause})
}

// charge takes one disruption off what the budget allows, and lists the pod among the disrupted ones.
func charge(api http.Handler, r *http.Request, pod *corev1.Pod, budget *policyv1.PodDisruptionBudget) error {
	body := fmt.Appendf(nil, `{"metadata":{"resourceVersion":%q},"status":{"disruptionsAllowed":%d,"disruptedPods":{%q:%q}}}`,
		budget.ResourceVersion, budget.Status.DisruptionsAllowed-1, pod.Name, time.Now().UTC().Format(time.RFC3339))
	writing := with(r, body)
	writing.Method, writing.URL.RawQuery = http.MethodPatch, ""
	writing.URL.Path = "/apis/policy/v1/namespaces/" + budget.Namespace + "/poddisruptionbudgets/" + budget.Name + "/status"
	writing.Header.Set(contentOfPatch, string(types.MergePatchType))
	if answer := ask(api, writing); answer.Code != http.StatusOK {
		return fmt.Errorf("write the budget's status: %d %s", answer.Code, answer.Body)
	}
	return nil
}
