package simulation

import (
	"cmp"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// oddActs are what hardly ever happens to a DaemonSet.
func oddActs() []act {
	return []act{
		{"update to use the host's network", 2, releasing(func(_ *world, spec *corev1.PodSpec, _ int) { spec.HostNetwork = true })},
		{"update to use a network of its own", 1, releasing(func(_ *world, spec *corev1.PodSpec, _ int) { spec.HostNetwork = false })},
		{"update to tolerate trouble for a while", 2, releasing(tolerateForAWhile)},
		{"update to run on a node by name", 1, releasing(func(_ *world, spec *corev1.PodSpec, a int) { spec.NodeName = fmt.Sprintf("node-%d", a%3+1) })},
		{"update to run on any node", 3, releasing(func(_ *world, spec *corev1.PodSpec, _ int) { spec.NodeName = "" })},
		{"a node is in trouble", 4, onNode(history.TaintNode, func(w *world, node string, b int) {
			trouble := troubles()[b%len(troubles())]
			w.taint(node, trouble.Key, trouble.Effect)
		})},
		{"a node is in trouble no more", 2, onNode(history.UntaintNode, func(w *world, node string, _ int) {
			for _, trouble := range troubles() {
				w.taint(node, trouble.Key, "")
			}
		})},
		{"a node is not heard of", 2, onNode(history.TakeDownNode, func(w *world, node string, _ int) { w.kubelets.loseSight(node) })},
		{"a node is heard of again", 2, onNode(history.RestoreNode, func(w *world, node string, _ int) { w.kubelets.regainSight(node) })},
		{"a node leaves while a pod ends", 1, onPod(history.HoldTermination, leaveMeanwhile)},
		{"a pod is Ready since nobody knows when", 1, onPod(history.SetReadySince, undate)},
		{"a pod of before the histories appears", 2, createUnlabelled},
		{"update under a name that is taken", 3, updateToTakenName},
		// Only after quiet is every one counted.
		{"collisions have been counted", 0, func(w *world, _, _ int) {
			if got := ptr.Deref(w.api.daemonSet().Status.CollisionCount, 0); got != w.taken {
				w.objection = cmp.Or(w.objection, broken("HISTORY-006", "each collision raises the count by one: got %d after %d", got, w.taken))
			}
		}},
		{"half an hour of quiet", 2, func(w *world, _, _ int) { w.advance(31 * time.Minute) }},
	}
}

// releasing is an update that edits the pods' spec.
func releasing(edit func(w *world, spec *corev1.PodSpec, a int)) func(*world, int, int) {
	return func(w *world, a, _ int) { w.release("", func(spec *corev1.PodSpec) { edit(w, spec, a) }) }
}

// troubles are the taints of nodes in trouble, those that daemons are there to survive. The last one takes a pod that uses the host's network.
func troubles() []corev1.Taint {
	return []corev1.Taint{
		{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodePIDPressure, Effect: corev1.TaintEffectNoSchedule},
	}
}

// tolerateForAWhile tolerates for some time what pods of a DaemonSet tolerate for ever.
func tolerateForAWhile(_ *world, spec *corev1.PodSpec, a int) {
	seconds := int64(a)
	spec.Tolerations = []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
	}
}

// leaveMeanwhile deletes a pod that does not end, and its node.
func leaveMeanwhile(w *world, pod *corev1.Pod) {
	w.kubelets.hold(pod.UID, true)
	w.api.notePod(history.DeletePod, pod)
	deletePod(w, pod)
	if node := history.NodeOf(pod); w.api.node(node) != nil {
		w.api.noteNode(history.DeleteNode, node)
		w.api.remove(history.KindNode, node)
	}
}

// undate takes away for a while since when a pod is Ready.
func undate(w *world, pod *corev1.Pod) {
	setSince := func(since metav1.Time) {
		w.api.updatePod(pod.Name, func(pod *corev1.Pod) {
			if ready := history.Ready(pod); ready != nil {
				ready.LastTransitionTime = since
			}
		})
	}
	setSince(metav1.Time{})
	w.clock.after(8*time.Second, func() { setSince(metav1.NewTime(w.clock.now.Truncate(time.Second))) })
}

// createUnlabelled creates a pod of the current template that a controller made before there were histories: the template generation alone says of which
// it is.
func createUnlabelled(w *world, a, _ int) {
	nodes, ds := w.api.nodes(), w.api.daemonSet()
	if len(nodes) == 0 || ds == nil {
		return
	}
	w.createPod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:   fmt.Sprintf("unlabelled-%d", w.api.created),
			Labels: map[string]string{appLabel: daemonSetName, plan.GenerationLabel: ds.Annotations[appsv1.DeprecatedTemplateGeneration]},
		},
		Spec: *ds.Spec.Template.Spec.DeepCopy(),
	}, nodes[a%len(nodes)].Name)
}

// updateToTakenName updates to a template whose history would get the name of one that there is already, of the same content or another: nobody's, which may
// have the labels by which the DaemonSet selects, or one of another controller, which has them.
func updateToTakenName(w *world, a, b int) {
	w.release("", func(spec *corev1.PodSpec) {
		ds := w.api.daemonSet().DeepCopy()
		ds.Spec.Template.Spec = *spec.DeepCopy()
		taken, err := plan.NewRevision(ds, 1)
		if err != nil {
			panic(err)
		}
		taken.OwnerReferences = nil
		if a%2 == 0 {
			spec := ds.Spec.Template.DeepCopy()
			spec.Spec.Containers[0].Image = "another:v1"
			if taken.Data.Raw, err = plan.RevisionData(spec); err != nil {
				panic(err)
			}
			w.taken++
		}
		others := otherControllers()
		switch which := b / 2 % (len(others) + 1); {
		case which > 0:
			taken.OwnerReferences = others[which-1:][:1]
		case b%2 == 0:
			taken.Labels = nil
		}
		w.api.note(history.Stimulus{Act: history.CreateRevision, Kind: history.KindControllerRevision, Namespace: namespace, Name: taken.Name})
		// Where there is one of that name already, that one is in the way.
		_ = w.api.create(history.KindControllerRevision, taken)
	})
}
