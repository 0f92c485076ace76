package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	typedappsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	"k8s.io/client-go/util/retry"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// daemon is the DaemonSet of all phases.
const daemon = "daemon"

// phase is one thing that an implementation is timed at.
type phase struct {
	name string
	act  history.Act
	// image is that of the pods once it is over.
	image string
	// do is the request with which it begins.
	do func(context.Context, typedappsv1.DaemonSetInterface) error
}

// phases are gone through in this order.
func phases() []phase {
	return []phase{
		{"first pods", history.CreateDaemonSet, "daemon:v1", create},
		{"rollout, maxSurge 25 %", history.UpdateDaemonSet, "daemon:v2", update("daemon:v2", "25%", "0")},
		{"rollout, maxUnavailable 10 %", history.UpdateDaemonSet, "daemon:v3", update("daemon:v3", "0", "10%")},
	}
}

func create(ctx context.Context, daemonSets typedappsv1.DaemonSetInterface) error {
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
	_, err := daemonSets.Create(ctx, object, metav1.CreateOptions{})
	return err
}

// update gives the DaemonSet another image, and the limits of the rollout to it.
func update(image, surge, unavailable string) func(context.Context, typedappsv1.DaemonSetInterface) error {
	return func(ctx context.Context, daemonSets typedappsv1.DaemonSetInterface) error {
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
