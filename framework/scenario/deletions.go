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
func (s *Scenario) keptPods(pods []*corev1.Pod) admissionPolicy {
	return admissionPolicy{
		name: "refuse-deletions", objects: podObjects, operation: admissionv1.Delete, message: KeepsPods,
		allowed: fmt.Sprintf("!(oldObject.metadata.name in %q.split(','))", strings.Join(podNames(pods), ",")),
		await: func(ctx context.Context, refuses bool) error {
			return s.awaitDeletion(ctx, refuses, func(ctx context.Context) error {
				return s.admin.CoreV1().Pods(s.namespace).Delete(ctx, pods[0].Name, dryRun)
			})
		},
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

// KeepsRevisions is what the API server says by KeepRevisions.
const KeepsRevisions = "histories are not to be deleted here"

// keptRevisions is the policy against the deletion of ControllerRevisions.
func (s *Scenario) keptRevisions() admissionPolicy {
	return admissionPolicy{
		name: "keep-revisions", objects: revisionObjects, operation: admissionv1.Delete, allowed: "false", message: KeepsRevisions,
		await: func(ctx context.Context, refuses bool) error {
			return s.awaitDeletion(ctx, refuses, func(ctx context.Context) error {
				return s.admin.AppsV1().ControllerRevisions(s.namespace).DeleteCollection(ctx, dryRun, metav1.ListOptions{})
			})
		},
	}
}

// KeepRevisions makes the API server refuse to delete ControllerRevisions in the scenario's namespace, in which there has to be one, until LetRevisionsGo, and
// returns when it does. A scenario on a Kubernetes without admission policies, before 1.30, ends there.
func (s *Scenario) KeepRevisions(ctx context.Context) {
	s.tb.Helper()
	s.enforce(ctx, s.onNamespace(history.KeepRevisions), s.keptRevisions())
}

// LetRevisionsGo undoes KeepRevisions, and returns when the API server does no longer refuse.
func (s *Scenario) LetRevisionsGo(ctx context.Context) {
	s.tb.Helper()
	s.lift(ctx, s.onNamespace(history.LetRevisionsGo), s.keptRevisions())
}

// dryRun is for a deletion that stores nothing.
var dryRun = metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}

// awaitDeletion waits until a deletion is refused, or is not. One of what is gone is not.
func (s *Scenario) awaitDeletion(ctx context.Context, refused bool, try func(context.Context) error) error {
	return s.poll(ctx, func(ctx context.Context) (bool, error) {
		err := try(ctx)
		if ignoreNotFound(err) != nil && !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) {
			return false, err
		}
		return (ignoreNotFound(err) != nil) == refused, nil
	})
}
