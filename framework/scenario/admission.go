package scenario

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// requireAdmission waits until the API server would create a pod, and ends a scenario for which it goes on refusing: before the scenario's first DaemonSet, and
// before it has pods refused. It tries on clusters whose API server keeps no audit log for rollcall: there nobody learns what the implementation is refused, by a
// quota, a webhook or a policy of the cluster's, and what it leaves undone for that would be held against it.
func (s *Scenario) requireAdmission(ctx context.Context) {
	s.tb.Helper()
	if s.admitted || s.env.Authors != nil {
		return
	}
	if err := s.awaitPods(ctx, func(err error) bool { return err == nil || noDryRun(err) }); err != nil {
		s.tb.Fatalf("precondition not met: the API server creates pods in namespace %s: %v (fix: have the cluster admit pods in namespaces with the label %s)",
			s.namespace, err, NamespaceLabel)
	}
	s.admitted = true
}

// noDryRun reports whether the API server cannot say without creating the pod: it would have to ask a webhook that may have side effects.
func noDryRun(err error) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "does not support dry run")
}
