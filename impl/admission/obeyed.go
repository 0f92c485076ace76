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
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
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
	for name, wanted := range wantedAnswers(e.options.Surge) {
		conflict := conflicting(e.options.Namespace, name)
		got, err := answerTo(conflict, e.client.Create(ctx, conflict, client.DryRunAll))
		if err != nil {
			// Nobody else tells why /readyz fails, and it is asked again and again.
			if e.said.Swap(err.Error()) != err.Error() {
				log.FromContext(ctx).Error(err, "Cannot ask the API server whether it obeys the admission policies, not ready")
			}
			return fmt.Errorf("ask the API server whether it obeys the admission policies: %w", err)
		}
		if got != wanted {
			return fmt.Errorf("the API server does not obey the admission policies yet: a DaemonSet %s with maxSurge and a host port is %s, not %s", name, got, wanted)
		}
	}
	unknown := conflicting(e.options.Namespace, "rollcall-admission-policy")
	unknown.Annotations = map[string]string{inplace.Policy: "Unknown"}
	unknown.Spec.Template.Spec.Containers[0].Ports = nil
	switch err := e.client.Create(ctx, unknown, client.DryRunAll); {
	case err == nil:
		return errors.New("the API server does not obey the admission policies yet: a DaemonSet with a pod update policy that there is not is stored")
	case !apierrors.IsInvalid(err):
		return fmt.Errorf("ask the API server whether it obeys the admission policies: %w", err)
	}
	e.known.set()
	return nil
}

// What becomes of a DaemonSet with maxSurge and a host port.
const (
	rejected  = "rejected"
	unchanged = "stored unchanged"
	dropped   = "stored without maxSurge"
)

// wantedAnswers are what is to become of such DaemonSets, by name. The policy for the gate's being off lets the second pass, which shows whether the other
// policy is gone.
func wantedAnswers(surge bool) map[string]string {
	if surge {
		return map[string]string{"rollcall-admission": rejected}
	}
	return map[string]string{"rollcall-admission": dropped, "rollcall-admission-unchanged": unchanged}
}

// answerTo says what became of the DaemonSet, given the API server's answer.
func answerTo(answered *appsv1.DaemonSet, err error) (string, error) {
	switch {
	case apierrors.IsInvalid(err) && strings.Contains(err.Error(), "must be 0 while a container uses a host port"):
		return rejected, nil
	case err != nil:
		return "", err
	case answered.Spec.UpdateStrategy.RollingUpdate.MaxSurge.String() == "0":
		return dropped, nil
	}
	return unchanged, nil
}

// conflicting is a DaemonSet with a host port and maxSurge, never to be stored.
func conflicting(namespace, name string) *appsv1.DaemonSet {
	one, zero := intstr.FromInt32(1), intstr.FromInt32(0)
	labels := map[string]string{"app": "rollcall-admission"}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
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
