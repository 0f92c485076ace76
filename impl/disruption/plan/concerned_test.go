package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

func TestBudgetsThatAChangeOfAPodConcerns(t *testing.T) {
	named := func(name string, selector *metav1.LabelSelector) *policyv1.PodDisruptionBudget {
		budget := newWorld().Budget
		budget.Name, budget.Spec.Selector = name, selector
		return budget
	}
	app := func(value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": value}}
	}
	waiting := named("waits", app("nothing"))
	waiting.Status.DisruptedPods = map[string]metav1.Time{"evicted": metav1.NewTime(now)}
	budgets := []*policyv1.PodDisruptionBudget{named("web", app("web")), named("db", app("db")), named("all", &metav1.LabelSelector{}), named("none", nil), waiting}
	web := newWorld().pod()
	changed := func(change func(*corev1.Pod)) *corev1.Pod {
		pod := web.DeepCopy()
		change(pod)
		return pod
	}
	named2 := changed(func(pod *corev1.Pod) { pod.Name = "evicted" })
	for name, c := range map[string]struct {
		before, after *corev1.Pod
		want          []string
	}{
		"PDB-026, PDB-028 a new pod":          {nil, web, []string{"web", "all"}},
		"PDB-026 a pod that goes":             {web, nil, []string{"web", "all"}},
		"PDB-026 readiness":                   {web, changed(unready), []string{"web", "all"}},
		"PDB-026 termination":                 {web, changed(terminating), []string{"web", "all"}},
		"PDB-026 an end":                      {web, changed(failed), []string{"web", "all"}},
		"PDB-026 an end of what is not Ready": {changed(unready), changed(func(pod *corev1.Pod) { unready(pod); failed(pod) }), []string{"web", "all"}},
		"PDB-027 a pod that is relabelled":    {web, changed(someoneElses), []string{"web", "db", "all"}},
		"PDB-027 a pod that loses its label":  {web, changed(unlabelled), []string{"web", "all"}},
		"another controller":                  {web, changed(of("a")), []string{"web", "all"}},
		"another pod of that name":            {web, changed(func(pod *corev1.Pod) { pod.UID = "another" }), []string{"web", "all"}},
		"a heartbeat":                         {web, changed(func(pod *corev1.Pod) { pod.Status.Conditions[0].LastProbeTime = metav1.NewTime(ago(time.Second)) }), nil},
		"an annotation":                       {web, changed(func(pod *corev1.Pod) { pod.Annotations = map[string]string{"a": "b"} }), nil},
		"a pod whose eviction was granted":    {named2, nil, []string{"web", "all", "waits"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, budget := range plan.Concerned(budgets, c.before, c.after) {
				got = append(got, budget.Name)
			}
			NewWithT(t).Expect(got).To(Equal(c.want))
		})
	}
}
