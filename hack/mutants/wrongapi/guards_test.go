package wrongapi

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// evictionOf asks the API server with the fault for the eviction of the pod under the budget. It returns the code, and the writes that the API server behind was asked for.
func evictionOf(t *testing.T, fault string, ready bool, budget policyv1.PodDisruptionBudget) (int, []string) {
	t.Helper()
	f, err := Named(fault)
	if err != nil {
		t.Fatal(err)
	}
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "here", Labels: map[string]string{"app": "agent"}}}
	if ready {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	budget.Name, budget.Namespace, budget.Spec.Selector = "budget", "here", &metav1.LabelSelector{MatchLabels: pod.Labels}
	var writes []string
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet:
			writes = append(writes, r.Method+" "+r.URL.Path[strings.LastIndex(r.URL.Path, "/here/")+len("/here/"):])
			_ = reply(w, map[bool]int{true: http.StatusCreated, false: http.StatusOK}[r.Method == http.MethodPost], metav1.Status{})
		case strings.HasSuffix(r.URL.Path, "/poddisruptionbudgets"):
			_ = reply(w, http.StatusOK, policyv1.PodDisruptionBudgetList{Items: []policyv1.PodDisruptionBudget{budget}})
		default:
			_ = reply(w, http.StatusOK, pod)
		}
	})
	answer := httptest.NewRecorder()
	body := strings.NewReader(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"pod"}}`)
	f.Around(api).ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/api/v1/namespaces/here/pods/pod/eviction", body))
	return answer.Code, writes
}

func TestEvictionsAreTreatedByTheBudgetAndThePod(t *testing.T) {
	allowing := func(allowed int32) policyv1.PodDisruptionBudget {
		return policyv1.PodDisruptionBudget{Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed}}
	}
	unobserved, always := allowing(1), allowing(0)
	unobserved.Generation, always.Spec.UnhealthyPodEvictionPolicy = 2, ptr.To(policyv1.AlwaysAllow)
	const evicted, deleted, charged = "POST pods/pod/eviction", "DELETE pods/pod", "PATCH poddisruptionbudgets/budget/status"
	for _, row := range []struct {
		fault  string
		ready  bool
		budget policyv1.PodDisruptionBudget
		code   int
		writes []string
	}{
		{"evictions-trust-unobserved-budgets", true, unobserved, http.StatusCreated, []string{deleted}},
		{"evictions-trust-unobserved-budgets", true, allowing(1), http.StatusCreated, []string{evicted}},
		{"evictions-are-not-counted", true, allowing(1), http.StatusCreated, []string{deleted}},
		{"evictions-are-not-counted", true, allowing(0), http.StatusCreated, []string{evicted}},
		{"budgets-guard-every-pod", false, allowing(0), http.StatusTooManyRequests, nil},
		{"budgets-guard-every-pod", false, allowing(1), http.StatusCreated, []string{evicted}},
		{"evictions-of-any-pod-are-counted", false, allowing(1), http.StatusCreated, []string{charged, evicted}},
		{"evictions-of-any-pod-are-counted", true, allowing(1), http.StatusCreated, []string{evicted}},
		{"budgets-guard-no-unready-pod", false, allowing(0), http.StatusCreated, []string{deleted}},
		{"budgets-guard-no-unready-pod", true, allowing(0), http.StatusCreated, []string{evicted}},
		{"always-allow-is-for-every-pod", true, always, http.StatusCreated, []string{deleted}},
		{"always-allow-is-for-every-pod", true, allowing(0), http.StatusCreated, []string{evicted}},
	} {
		if code, writes := evictionOf(t, row.fault, row.ready, row.budget); code != row.code || !slices.Equal(writes, row.writes) {
			t.Errorf("%s, ready %t, %d allowed: %d, %q, want %d, %q", row.fault, row.ready, row.budget.Status.DisruptionsAllowed, code, writes, row.code, row.writes)
		}
	}
}
