package rollouts

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Twin creates a pod equal to the daemon pod, on its node and under another name.
func Twin(ctx context.Context, c *spec.Case, pod *corev1.Pod, name string) {
	twin := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: pod.Namespace, Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
		},
		Spec: *pod.Spec.DeepCopy(),
	}
	err := c.Do(ctx, history.Stimulus{
		Act: history.CreatePod, Kind: history.KindPod, Namespace: twin.Namespace, Name: name, Node: history.NodeOf(pod),
	}, func(ctx context.Context) error {
		_, err := c.Client().CoreV1().Pods(twin.Namespace).Create(ctx, twin, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		c.CannotDecide("harness: create a second pod on a node: " + err.Error())
	}
}
