package scenario

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// unwanted is the policy against all pods. Its words name the pod, as those of policy engines do, so that they differ with every attempt.
func (s *Scenario) unwanted() admissionPolicy {
	return admissionPolicy{
		name: RefuserName, objects: podObjects, operation: admissionv1.Create, allowed: "false", message: "no pod is wanted", words: `"pod " + object.metadata.name + " is not wanted"`,
		await: func(ctx context.Context, refuses bool) error {
			return s.awaitPods(ctx, func(err error) bool {
				return refuses && (apierrors.IsInvalid(err) || apierrors.IsForbidden(err)) || !refuses && err == nil
			})
		},
	}
}

// RefusePodsByName is RefusePods by an admission policy whose words name the pod, until AdmitPodsByName. A scenario on a Kubernetes without admission policies,
// before 1.30, ends there.
func (s *Scenario) RefusePodsByName(ctx context.Context) {
	s.tb.Helper()
	s.requireAdmission(ctx)
	stimulus := s.onNamespace(history.RefusePods)
	stimulus.Detail = "by a policy whose words name the pod"
	s.enforce(ctx, stimulus, s.unwanted())
}

// AdmitPodsByName undoes RefusePodsByName, and returns when the API server creates pods.
func (s *Scenario) AdmitPodsByName(ctx context.Context) {
	s.tb.Helper()
	s.lift(ctx, s.onNamespace(history.AdmitPods), s.unwanted())
}
