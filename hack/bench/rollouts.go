package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// daemon is the DaemonSet of all phases.
const daemon = "daemon"

// rollouts is the course of a DaemonSet controller: one DaemonSet comes to all simulated nodes, then there are two rollouts of it.
type rollouts struct{ nodes int }

func (r rollouts) title() string { return fmt.Sprintf("%d nodes", r.nodes) }

func (r rollouts) thing() (string, int) { return "a node", r.nodes }

func (r rollouts) follow() follower { return newRolloutProgress(r.nodes) }

func (r rollouts) phases() []phase {
	updated := history.Stimulus{Act: history.UpdateDaemonSet, Kind: history.KindDaemonSet, Name: daemon}
	return []phase{
		{"first pods", history.Stimulus{Act: history.CreateDaemonSet, Kind: history.KindDaemonSet, Name: daemon}, wanted{image: "daemon:v1"}, create},
		{"rollout, maxSurge 25 %", updated, wanted{image: "daemon:v2"}, update("daemon:v2", "25%", "0")},
		{"rollout, maxUnavailable 10 %", updated, wanted{image: "daemon:v3"}, update("daemon:v3", "0", "10%")},
	}
}

func (r rollouts) prepare(ctx context.Context, client kubernetes.Interface) error {
	return trial.AddNodes(ctx, client, r.nodes)
}

func (r rollouts) enter(ctx context.Context, client kubernetes.Interface, turn string) (string, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bench-" + turn}}
	_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	return namespace.Name, err
}

// leave removes the rollout, and waits until the nodes are free for the next.
func (r rollouts) leave(ctx context.Context, client kubernetes.Interface, namespace string) error {
	if err := client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, lookInterval, true, func(ctx context.Context) (bool, error) {
		left, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(left.Items) == 0, err
	})
}

func create(ctx context.Context, client kubernetes.Interface, namespace string) error {
	matching := map[string]string{"app": daemon}
	object := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: daemon},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: matching},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: matching},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: daemon, Image: "daemon:v1"}}},
			},
		},
	}
	_, err := client.AppsV1().DaemonSets(namespace).Create(ctx, object, metav1.CreateOptions{})
	return err
}

// update gives the DaemonSet another image, and the limits of the rollout to it.
func update(image, surge, unavailable string) func(context.Context, kubernetes.Interface, string) error {
	return func(ctx context.Context, client kubernetes.Interface, namespace string) error {
		daemonSets := client.AppsV1().DaemonSets(namespace)
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			object, err := daemonSets.Get(ctx, daemon, metav1.GetOptions{})
			if err != nil {
				return err
			}
			maxSurge, maxUnavailable := intstr.Parse(surge), intstr.Parse(unavailable)
			object.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: &maxSurge, MaxUnavailable: &maxUnavailable}
			object.Spec.Template.Spec.Containers[0].Image = image
			_, err = daemonSets.Update(ctx, object, metav1.UpdateOptions{})
			return err
		})
	}
}
