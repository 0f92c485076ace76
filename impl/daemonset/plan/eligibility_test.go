package plan_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

func TestEligibility(t *testing.T) {
	condition := func(key string, effect corev1.TaintEffect) func(w *world) {
		return func(w *world) { w.Nodes[0].Spec.Taints = []corev1.Taint{{Key: key, Effect: effect}} }
	}
	require := func(key, value string) *corev1.Affinity {
		return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}}}}}}}
	}
	for name, c := range map[string]struct {
		arrange    func(w *world)
		run, keeps bool
	}{
		"plain node":                           {func(*world) {}, true, true},
		"cordoned":                             {condition(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule), true, true},
		"not ready":                            {condition(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute), true, true},
		"unreachable":                          {condition(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute), true, true},
		"memory pressure":                      {condition(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule), true, true},
		"disk pressure":                        {condition(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule), true, true},
		"PID pressure":                         {condition(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule), true, true},
		"network unavailable":                  {condition(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule), false, true},
		"preferred not to":                     {func(w *world) { w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectPreferNoSchedule) }, true, true},
		"repelling taint":                      {func(w *world) { w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoSchedule) }, false, true},
		"evicting taint":                       {func(w *world) { w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoExecute) }, false, false},
		"nodeSelector that does not match":     {func(w *world) { w.spec().NodeSelector = map[string]string{"pool": "a"} }, false, false},
		"required affinity that does not":      {func(w *world) { w.spec().Affinity = require("pool", "a") }, false, false},
		"template pinned to another node name": {func(w *world) { w.spec().NodeName = "other" }, false, false},
		"affinity that cannot be parsed":       {func(w *world) { w.spec().Affinity = require("not a key", "a") }, false, false},
		"network unavailable, host network": {func(w *world) {
			w.spec().HostNetwork = true
			condition(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)(w)
		}, true, true},
		"tolerated taint": {func(w *world) {
			w.Nodes[0].Spec.Taints = taint(corev1.TaintEffectNoExecute)
			w.spec().Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
		}, true, true},
		"selector and affinity that match": {func(w *world) {
			w.Nodes[0].Labels = map[string]string{"pool": "a"}
			w.spec().NodeSelector = map[string]string{"pool": "a"}
			w.spec().Affinity = require("pool", "a")
		}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t, 1)
			c.arrange(w)
			run, keeps := plan.Eligibility(w.DaemonSet, w.Nodes[0])
			g.Expect([]bool{run, keeps}).To(Equal([]bool{c.run, c.keeps}), "should run, may stay: TARGET-001, TARGET-007, DRAIN-001, DRAIN-008")
		})
	}
}

func (w *world) spec() *corev1.PodSpec { return &w.DaemonSet.Spec.Template.Spec }

func TestNodesComeAndGo(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 2)
	w.spec().NodeSelector = map[string]string{"pool": "a"}
	w.Revisions = nil
	w.recordRevision()
	w.pod("n1", w.ready())
	w.Nodes[0].Labels = map[string]string{"pool": "a"}
	actions := w.plan()
	g.Expect(created(actions)).To(Equal([]string{"n0"}), "TARGET-002: label added")
	g.Expect(deleted(actions)).To(Equal([]string{"v1-n1-1"}), "TARGET-002: label removed")
	g.Expect(actions.Status.NumberMisscheduled).To(Equal(int32(1)))
}

func TestNewPod(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, 1)
	w.spec().Tolerations = []corev1.Toleration{{Key: "own", Operator: corev1.TolerationOpExists},
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64)}}
	pod := plan.NewPod(w.DaemonSet, "abc", "n0")

	g.Expect(pod.GenerateName).To(Equal("agent-"))
	g.Expect(pod.Namespace).To(Equal("ns"))
	g.Expect(pod.Labels).To(Equal(map[string]string{"app": "agent", "controller-revision-hash": "abc", "pod-template-generation": "1"}), "API-020, API-021, HISTORY-009")
	g.Expect(pod.OwnerReferences).To(HaveLen(1))
	g.Expect(*pod.OwnerReferences[0].Controller).To(BeTrue())
	g.Expect(pod.Spec.NodeName).To(BeEmpty(), "the scheduler binds it")
	g.Expect(plan.TargetNode(pod)).To(Equal("n0"), "SURGE-026")
	g.Expect(pod.Spec.Tolerations).To(HaveLen(7))
	g.Expect(pod.Spec.Tolerations[0]).To(Equal(corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}),
		"TARGET-007: for ever")
	g.Expect(pod.Spec.Tolerations[6].Key).To(Equal("own"), "TARGET-007: one that is limited and for all counts for none of these")
	g.Expect(w.spec().Tolerations).To(HaveLen(2), "the template stays as it is")
	g.Expect(w.spec().Affinity).To(BeNil(), "the template stays as it is")
}
