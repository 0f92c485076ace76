package existing

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func readyNode(edits ...func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, edit := range edits {
		edit(node)
	}
	return node
}

func podOf(kind string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	if kind != "" {
		owner := metav1.OwnerReference{Kind: kind, Name: "o", Controller: new(bool)}
		*owner.Controller = true
		pod.OwnerReferences = []metav1.OwnerReference{owner}
	}
	return pod
}

func TestANodeIsRefusedForEachThingThatIsWrongWithIt(t *testing.T) {
	for name, tt := range map[string]struct {
		node   *corev1.Node
		guests []corev1.Pod
		says   string
	}{
		"fit":      {node: readyNode()},
		"unready":  {node: &corev1.Node{}, says: "it is not Ready"},
		"cordoned": {node: readyNode(func(n *corev1.Node) { n.Spec.Unschedulable = true }), says: "it is cordoned: `kubectl uncordon n`"},
		"tainted": {node: readyNode(func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
		}), says: "it has the taint gpu=yes:NoSchedule, which daemons do not tolerate"},
		"discouraged": {node: readyNode(func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectPreferNoSchedule}}
		})},
		"in use": {node: readyNode(), guests: []corev1.Pod{*podOf("ReplicaSet")}, says: "`kubectl drain n --ignore-daemonsets`"},
		"in use, by whom": {
			node: readyNode(), guests: []corev1.Pod{*podOf("ReplicaSet"), *podOf("")}, says: "pod shop/web of ReplicaSet o\n    pod shop/web",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := unfit(tt.node, tt.guests)
			if tt.says == "" {
				g.Expect(got).To(BeEmpty())
				return
			}
			g.Expect(strings.Join(got, "\n")).To(ContainSubstring(tt.says))
		})
	}
}

func TestWhatIsPartOfANode(t *testing.T) {
	ended := podOf("Job")
	ended.Status.Phase = corev1.PodSucceeded
	borrowed := podOf("DaemonSet")
	*borrowed.OwnerReferences[0].Controller = false
	for name, tt := range map[string]struct {
		pod  *corev1.Pod
		want bool
	}{
		"of a DaemonSet":             {podOf("DaemonSet"), true},
		"static":                     {podOf("Node"), true},
		"of a ReplicaSet":            {podOf("ReplicaSet"), false},
		"of a StatefulSet":           {podOf("StatefulSet"), false},
		"of a Job":                   {podOf("Job"), false},
		"bare":                       {podOf(""), false},
		"ended":                      {ended, true},
		"owned, not by a controller": {borrowed, false},
	} {
		NewWithT(t).Expect(partOfNode(tt.pod)).To(Equal(tt.want), name)
	}
}

func TestAPodThatWillNeverBeReadyIsTold(t *testing.T) {
	with := func(state corev1.ContainerState, ready bool) *corev1.Pod {
		return &corev1.Pod{
			Spec:   corev1.PodSpec{Containers: make([]corev1.Container, 1)},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Image: "i:v1", State: state, Ready: ready}}},
		}
	}
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "no such host"}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	for name, tt := range map[string]struct {
		pod      *corev1.Pod
		lacks    string
		hopeless bool
	}{
		"ready":         {pod: with(running, true)},
		"not yet ready": {pod: with(running, false), lacks: "image i:v1: its kubelet does not find it ready"},
		"no image yet":  {pod: with(waiting("ErrImagePull"), false), lacks: "image i:v1: ErrImagePull: no such host"},
		"no image":      {pod: with(waiting("ImagePullBackOff"), false), lacks: "image i:v1: ImagePullBackOff: no such host", hopeless: true},
		"ended": {
			pod:   with(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2}}, false),
			lacks: "image i:v1: it ended with exit code 2", hopeless: true,
		},
		"refused by its kubelet": {
			pod:   &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "NodePorts", Message: "no free ports"}},
			lacks: "the pod failed: NodePorts: no free ports", hopeless: true,
		},
		"not begun": {
			pod:   &corev1.Pod{Spec: corev1.PodSpec{Containers: make([]corev1.Container, 1)}, Status: corev1.PodStatus{Phase: corev1.PodPending}},
			lacks: "the pod is Pending, and its containers are not there yet",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			lacks, hopeless := unready(tt.pod)
			g.Expect(lacks).To(Equal(tt.lacks))
			g.Expect(hopeless).To(Equal(tt.hopeless))
		})
	}
}
