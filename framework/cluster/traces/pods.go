package traces

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/lever"
)

// endPods ends those of the namespace's pods that are still there: it removes at once those that no kubelet will end, and has the workload of the others exit.
func (t Traces) endPods(ctx context.Context, cluster kubernetes.Interface, namespace string) error {
	real, err := cluster.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: t.realNodes()})
	if err != nil {
		return err
	}
	pods, err := cluster.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, pod := range pods.Items {
		switch kubelet := slices.ContainsFunc(real.Items, func(node corev1.Node) bool { return node.Name == pod.Spec.NodeName }); {
		case kubelet:
			end(ctx, cluster, &pod)
		case t.SimulatedLabel != "":
			if err := cluster.CoreV1().Pods(namespace).Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0)); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
	}
	return nil
}

// end has the pod's workload exit. One that cannot be asked runs no workload server, or none any more: its kubelet ends it.
func end(ctx context.Context, cluster kubernetes.Interface, pod *corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = lever.End(ctx, cluster, pod)
}

// realNodes selects the nodes that have kubelets.
func (t Traces) realNodes() string {
	if t.SimulatedLabel == "" {
		return ""
	}
	return "!" + t.SimulatedLabel
}
