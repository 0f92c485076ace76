package scenario

import (
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// KeepsPods is what the API server says by RefuseDeletions.
const KeepsPods = "this pod is not to be deleted"

// keptPods is the policy against the deletion of these pods.
func (s *Scenario) keptPods(pods []*corev1.Pod) podPolicy {
	return podPolicy{
		name: "refuse-deletions", operation: admissionv1.Delete, message: KeepsPods,
		allowed: fmt.Sprintf("!(oldObject.metadata.name in %q.split(','))", strings.Join(podNames(pods), ",")),
		await:   func(ctx context.Context, refuses bool) error { return s.awaitDeletion(ctx, pods[0], refuses) },
	}
}

func podNames(pods []*corev1.Pod) []string {
	names := make([]string, len(pods))
	for i, pod := range pods {
		names[i] = pod.Name
	}
	return names
}

// RefuseDeletions makes the API server refuse to delete these pods, at least one, until AdmitDeletions, and returns when it does. Evictions pass. A scenario on
// a Kubernetes without admission policies, before 1.30, ends there.
func (s *Scenario) RefuseDeletions(ctx context.Context, pods ...*corev1.Pod) {
	s.tb.Helper()
	stimulus := s.onNamespace(history.RefuseDeletions)
	stimulus.Detail = "of " + strings.Join(podNames(pods), ", ")
	s.enforce(ctx, stimulus, s.keptPods(pods))
}

// AdmitDeletions undoes RefuseDeletions of the same pods, and returns when the API server does no longer refuse.
func (s *Scenario) AdmitDeletions(ctx context.Context, pods ...*corev1.Pod) {
	s.tb.Helper()
	s.lift(ctx, s.onNamespace(history.AdmitDeletions), s.keptPods(pods))
}

// awaitDeletion waits until a deletion of the pod, which stores nothing, is refused, or is not. One that is gone is not.
func (s *Scenario) awaitDeletion(ctx context.Context, pod *corev1.Pod, refused bool) error {
	return s.poll(ctx, func(ctx context.Context) (bool, error) {
		err := s.admin.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		if ignoreNotFound(err) != nil && !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) {
			return false, err
		}
		return (ignoreNotFound(err) != nil) == refused, nil
	})
}
