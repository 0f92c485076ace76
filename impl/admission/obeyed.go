package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// askTimeout bounds one question to the API server.
const askTimeout = 2 * time.Second

// once is a fact that, once set, stays.
type once struct{ is atomic.Bool }

func (o *once) set() { o.is.Store(true) }

// obeyed is a readiness check: the API server takes up to seconds to obey a new policy. It asks until it does.
func (e *enforcer) obeyed(request *http.Request) error {
	if e.known.is.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(request.Context(), askTimeout)
	defer cancel()
	conflict := conflicting(e.options.Namespace)
	err := e.client.Create(ctx, conflict, client.DryRunAll)
	if err := judge(e.options.Surge, conflict, err); err != nil {
		return err
	}
	e.known.set()
	return nil
}

// judge says what is wrong about the answer to the creation of a DaemonSet with maxSurge and a host port.
func judge(surge bool, answered *appsv1.DaemonSet, err error) error {
	rejected := apierrors.IsInvalid(err) && strings.Contains(err.Error(), "must be 0 while a container uses a host port")
	switch {
	case err != nil && !rejected:
		return fmt.Errorf("ask the API server whether it obeys the admission policies: %w", err)
	case rejected != surge:
		return errors.New("the API server does not obey the admission policies yet")
	case !surge && answered.Spec.UpdateStrategy.RollingUpdate.MaxSurge.String() != "0":
		return errors.New("the API server does not drop maxSurge yet")
	}
	return nil
}

// conflicting is a DaemonSet with a host port and maxSurge, never to be stored.
func conflicting(namespace string) *appsv1.DaemonSet {
	one, zero := intstr.FromInt32(1), intstr.FromInt32(0)
	labels := map[string]string{"app": "rollcall-admission"}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "rollcall-admission", Namespace: namespace},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type:          appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &one, MaxUnavailable: &zero},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					// No node has the label, should it be stored after all.
					NodeSelector: labels,
					Containers:   []corev1.Container{{Name: "none", Image: "rollcall.dev/none", Ports: []corev1.ContainerPort{{ContainerPort: 1, HostPort: 1}}}},
				},
			},
		},
	}
}
