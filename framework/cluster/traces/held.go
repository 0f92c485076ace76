package traces

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// released is what an object becomes that nobody holds back.
var released = []byte(`{"metadata":{"finalizers":null}}`)

// letGo has the namespace's pods and DaemonSets go that were held back.
func (t Traces) letGo(ctx context.Context, cluster kubernetes.Interface, namespace string) error {
	if t.Finalizer == "" {
		return nil
	}
	pods, err := cluster.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, pod := range pods.Items {
		if !slices.Contains(pod.Finalizers, t.Finalizer) {
			continue
		}
		_, err := cluster.CoreV1().Pods(namespace).Patch(ctx, pod.Name, types.MergePatchType, released, metav1.PatchOptions{})
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	daemonSets, err := cluster.AppsV1().DaemonSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, daemonSet := range daemonSets.Items {
		if !slices.Contains(daemonSet.Finalizers, t.Finalizer) {
			continue
		}
		_, err := cluster.AppsV1().DaemonSets(namespace).Patch(ctx, daemonSet.Name, types.MergePatchType, released, metav1.PatchOptions{})
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}
