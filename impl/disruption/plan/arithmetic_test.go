package plan_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

type numbers struct{ expected, desired, healthy, allowed int32 }

func in(status policyv1.PodDisruptionBudgetStatus) numbers {
	return numbers{status.ExpectedPods, status.DesiredHealthy, status.CurrentHealthy, status.DisruptionsAllowed}
}

func TestNumbers(t *testing.T) {
	scale := func(replicas int32, pods int) func(*world) { return func(w *world) { w.set("a", replicas, pods) } }
	for name, c := range map[string]struct {
		spec func(*policyv1.PodDisruptionBudgetSpec)
		pods func(w *world)
		want numbers
	}{
		"PDB-001 integer":                         {minAvailable("2"), scale(9, 3), numbers{3, 2, 3, 1}},
		"PDB-001 as many as there are":            {minAvailable("3"), scale(9, 3), numbers{3, 3, 3, 0}},
		"PDB-001 more than there are":             {minAvailable("5"), scale(3, 3), numbers{3, 5, 3, 0}},
		"PDB-002 30% of 7 is 3":                   {minAvailable("30%"), scale(7, 7), numbers{7, 3, 7, 4}},
		"PDB-002 1% of 3 is 1":                    {minAvailable("1%"), scale(3, 3), numbers{3, 1, 3, 2}},
		"PDB-003 integer":                         {maxUnavailable("1"), scale(3, 3), numbers{3, 2, 3, 1}},
		"PDB-003 more than there are":             {maxUnavailable("5"), scale(3, 2), numbers{3, 0, 2, 2}},
		"PDB-003 fewer pods than there should be": {maxUnavailable("1"), scale(5, 3), numbers{5, 4, 3, 0}},
		"PDB-004 25% of 10 is 3":                  {maxUnavailable("25%"), scale(10, 10), numbers{10, 7, 10, 3}},
		"PDB-004 200%":                            {maxUnavailable("200%"), scale(3, 3), numbers{3, 0, 3, 3}},
		"PDB-005 100%":                            {minAvailable("100%"), scale(3, 3), numbers{3, 3, 3, 0}},
		"PDB-005 0":                               {maxUnavailable("0"), scale(3, 3), numbers{3, 3, 3, 0}},
		"PDB-006 no pods, none asked for":         {minAvailable("0"), func(*world) {}, numbers{}},
		"PDB-006 no pods, some asked for":         {minAvailable("2"), func(*world) {}, numbers{0, 2, 0, 0}},
		"PDB-006 no pods, a share":                {maxUnavailable("100%"), func(*world) {}, numbers{}},
		"PDB-007 two controllers":                 {maxUnavailable("1"), func(w *world) { w.set("a", 3, 3); w.set("b", 2, 2) }, numbers{5, 4, 5, 1}},
		"PDB-007 two ReplicaSets, one Deployment": {maxUnavailable("1"), func(w *world) {
			w.set("new", 1, 2)
			w.set("old", 2, 2)
			for _, uid := range []types.UID{"new", "old"} {
				w.Controllers[uid] = plan.Controller{UID: "deployment", Replicas: 3}
			}
		}, numbers{3, 2, 4, 2}},
		"PDB-009 terminating":               {minAvailable("1"), func(w *world) { w.pod(); w.pod(terminating) }, numbers{2, 1, 1, 0}},
		"PDB-010 unready":                   {minAvailable("1"), func(w *world) { w.pod(); w.pod(unready) }, numbers{2, 1, 1, 0}},
		"PDB-010 without a condition":       {minAvailable("1"), func(w *world) { w.pod(); w.pod().Status.Conditions = nil }, numbers{2, 1, 1, 0}},
		"PDB-010 failed":                    {minAvailable("1"), func(w *world) { w.pod(); w.pod(failed) }, numbers{2, 1, 1, 0}},
		"PDB-019 bare pods":                 {minAvailable("1"), func(w *world) { w.pod(); w.pod() }, numbers{2, 1, 2, 1}},
		"PDB-019 a scale that is not known": {minAvailable("1"), func(w *world) { w.set("a", 3, 3); w.Controllers["a"] = plan.Controller{Err: errors.New("no")} }, numbers{3, 1, 3, 2}},
		"PDBAPI-009 empty selector":         {all, func(w *world) { w.pod(); w.pod(unlabelled); w.pod(someoneElses) }, numbers{3, 1, 3, 2}},
		"PDBAPI-010 no selector":            {none, func(w *world) { w.pod() }, numbers{0, 1, 0, 0}},
		"PDBAPI-015 neither":                {func(*policyv1.PodDisruptionBudgetSpec) {}, func(w *world) { w.pod() }, numbers{0, 0, 1, 0}},
		"other pods":                        {minAvailable("1"), func(w *world) { w.pod(); w.pod(); w.pod(someoneElses); w.pod(elsewhere) }, numbers{2, 1, 2, 1}},
		"PDB-020 only of a pod that goes": {maxUnavailable("1"), func(w *world) {
			w.set("a", 2, 2)
			w.pod(of("b"), terminating)
			w.Controllers["b"] = plan.Controller{UID: "b", Err: errors.New("no scale")}
		}, numbers{2, 1, 2, 1}},
		"PDB-022 only pods that go or have ended": {maxUnavailable("1"), func(w *world) { w.set("a", 2, 2); w.pod(terminating); w.pod(failed) }, numbers{2, 1, 2, 1}},
		"a controller that goes with its pod":     {maxUnavailable("1"), func(w *world) { w.set("a", 2, 2); w.pod(of("gone"), terminating) }, numbers{2, 1, 2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(c.spec)
			c.pods(w)
			status := w.status(t)
			g.Expect(in(status)).To(Equal(c.want))
			g.Expect(status.ObservedGeneration).To(Equal(int64(3)), "PDB-011")
			condition := status.Conditions[0]
			g.Expect(condition.ObservedGeneration).To(Equal(int64(3)), "PDB-017")
			g.Expect(condition.Type).To(Equal(policyv1.DisruptionAllowedCondition))
			if c.want.allowed > 0 {
				g.Expect(condition.Status).To(Equal(metav1.ConditionTrue), "PDB-017")
				g.Expect(condition.Reason).To(Equal(policyv1.SufficientPodsReason), "PDB-017")
			} else {
				g.Expect(condition.Status).To(Equal(metav1.ConditionFalse), "PDB-017")
				g.Expect(condition.Reason).To(Equal(policyv1.InsufficientPodsReason), "PDB-017")
			}
			g.Expect(w.plan(t).Status).To(BeNil(), "PDB-024")
		})
	}
}

func all(spec *policyv1.PodDisruptionBudgetSpec) {
	minAvailable("1")(spec)
	spec.Selector = &metav1.LabelSelector{}
}

func none(spec *policyv1.PodDisruptionBudgetSpec) {
	minAvailable("1")(spec)
	spec.Selector = nil
}
