package plan_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

func TestAStaleDisruptionTargetIsReset(t *testing.T) {
	targeted := func(age time.Duration, changes ...func(*corev1.Pod)) *corev1.Pod {
		return newWorld().pod(append([]func(*corev1.Pod){func(pod *corev1.Pod) {
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI", Message: "evicting", LastTransitionTime: metav1.NewTime(ago(age)),
			})
		}}, changes...)...)
	}
	for name, c := range map[string]struct {
		pod   *corev1.Pod
		reset bool
		again time.Duration
	}{
		"two minutes old":       {targeted(2 * time.Minute), true, 0},
		"old":                   {targeted(time.Hour), true, 0},
		"young":                 {targeted(50 * time.Second), false, 70 * time.Second},
		"terminating":           {targeted(time.Hour, terminating), false, 0},
		"ended":                 {targeted(time.Hour, failed), false, 0},
		"the kubelet's":         {targeted(time.Hour, func(pod *corev1.Pod) { pod.Status.Conditions[1].Reason = corev1.PodReasonTerminationByKubelet }), false, 0},
		"False already":         {targeted(time.Hour, func(pod *corev1.Pod) { pod.Status.Conditions[1].Status = corev1.ConditionFalse }), false, 0},
		"without the condition": {newWorld().pod(), false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			before := c.pod.DeepCopy()
			actions := plan.Reset(c.pod, now)
			g.Expect(c.pod).To(Equal(before), "the plan changes nothing itself")
			g.Expect(actions.Pod != nil).To(Equal(c.reset), "PDB-034")
			g.Expect(actions.RequeueAfter).To(Equal(c.again), "PDB-034")
			if c.reset {
				g.Expect(actions.Pod.Status.Conditions[1]).To(Equal(corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(now)}))
				g.Expect(actions.Pod.Status.Conditions[0]).To(Equal(c.pod.Status.Conditions[0]), "others' conditions")
			}
		})
	}
}

func TestAResetConditionHasTheGenerationWhereConditionsHave(t *testing.T) {
	g := NewWithT(t)
	pod := newWorld().pod()
	pod.Generation = 4
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, ObservedGeneration: 3, LastTransitionTime: metav1.NewTime(ago(time.Hour))}}
	g.Expect(plan.Reset(pod, now).Pod.Status.Conditions[0].ObservedGeneration).To(Equal(int64(4)))
}
