package history_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

func TestWhichNodesADaemonSetWants(t *testing.T) {
	tainted := func(key string, effect corev1.TaintEffect) func(*corev1.Node) {
		return func(node *corev1.Node) { node.Spec.Taints = []corev1.Taint{{Key: key, Effect: effect}} }
	}
	labelled := func(node *corev1.Node) { node.Labels = map[string]string{"zone": "a"} }
	selecting := func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeSelector = map[string]string{"zone": "a"} }
	affine := func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}},
			}}},
		}}
	}
	tolerating := func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	}
	plain, host := func(*appsv1.DaemonSet) {}, func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.HostNetwork = true }
	bare := func(*corev1.Node) {}
	both, stay, neither := history.Eligibility{ShouldRun: true, ShouldContinue: true}, history.Eligibility{ShouldContinue: true}, history.Eligibility{}
	for _, test := range []struct {
		name      string
		daemonSet func(*appsv1.DaemonSet)
		node      func(*corev1.Node)
		want      history.Eligibility
	}{
		{"any node", plain, bare, both},
		{"a node with the label", selecting, labelled, both},
		{"a node without the label", selecting, bare, neither},
		{"a node that fits the affinity", affine, labelled, both},
		{"a node that does not fit the affinity", affine, bare, neither},
		{"a NoSchedule taint lets pods stay", plain, tainted("dedicated", corev1.TaintEffectNoSchedule), stay},
		{"a tolerated NoSchedule taint", tolerating, tainted("dedicated", corev1.TaintEffectNoSchedule), both},
		{"a NoExecute taint", plain, tainted("dedicated", corev1.TaintEffectNoExecute), neither},
		{"a tolerated NoExecute taint", tolerating, tainted("dedicated", corev1.TaintEffectNoExecute), both},
		{"a PreferNoSchedule taint is only a wish", plain, tainted("dedicated", corev1.TaintEffectPreferNoSchedule), both},
		{"a cordoned node", plain, tainted(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule), both},
		{"an unreachable node", plain, tainted(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute), both},
		{"a node without a network", plain, tainted(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule), stay},
		{"a node without a network, which pods on the host's do not need", host, tainted(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule), both},
		{"a node named by the template", func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeName = "node-1" }, bare, both},
		{"another node than the one named", func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeName = "node-2" }, bare, neither},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := historytest.New(t)
			b.Node("node-1").Join().Edit(test.node)
			ds := b.DaemonSet("agent", test.daemonSet)
			cluster := end(b)
			if got := history.EligibilityOf(ds.Object(), cluster.Nodes["node-1"]); got != test.want {
				t.Errorf("judged by itself %+v, want %+v", got, test.want)
			}
			if got := cluster.Eligibility(ds.Object().UID, "node-1"); got != test.want {
				t.Errorf("in the replay %+v, want %+v", got, test.want)
			}
		})
	}
	if got := history.EligibilityOf(&appsv1.DaemonSet{}, nil); got != neither {
		t.Errorf("no node: %+v", got)
	}
}

func TestTheDesiredNumberFollowsNodesAndTemplate(t *testing.T) {
	b := historytest.New(t).Nodes(3)
	ds := b.DaemonSet("agent")
	uid := ds.Object().UID
	desired := func(want int, when string) {
		t.Helper()
		cluster := end(b)
		if got := cluster.Desired(uid); got != want {
			t.Errorf("%s: desired %d, want %d", when, got, want)
		}
		if got := cluster.EligibleNodes(ds.Object()); len(got) != want || !slices.IsSorted(got) {
			t.Errorf("%s: eligible %v, want %d, sorted", when, got, want)
		}
	}
	desired(3, "at first")
	b.Node("node-3").Taint("dedicated", corev1.TaintEffectNoSchedule)
	desired(2, "one tainted")
	ds.Set(func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	})
	desired(3, "the taint tolerated")
	b.Node("node-1").Leave()
	desired(2, "one gone")
	b.Node("node-4").Join()
	desired(3, "one joined")
	ds.Gone()
	if got := end(b).Desired(uid); got != 0 {
		t.Errorf("a DaemonSet that is gone desires %d", got)
	}
}
