package scenario

import (
	"context"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// RefusesAdoptions is what the API server says by RefuseAdoptions.
const RefusesAdoptions = "pods that nobody controls are to stay so"

// uncontrolled is the policy against a controller for pods that have none.
func (s *Scenario) uncontrolled() admissionPolicy {
	const hasController = ".metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false))"
	return admissionPolicy{
		name: "refuse-adoptions", objects: podObjects, operation: admissionv1.Update, message: RefusesAdoptions,
		allowed: "oldObject" + hasController + " || !object" + hasController,
		await:   s.awaitAdoption,
	}
}

// RefuseAdoptions makes the API server refuse a controller for pods of the scenario's namespace that have none, of which there has to be one, until
// AdmitAdoptions, and returns when it does. A scenario on a Kubernetes without admission policies, before 1.30, ends there.
func (s *Scenario) RefuseAdoptions(ctx context.Context) {
	s.tb.Helper()
	s.enforce(ctx, s.onNamespace(history.RefuseAdoptions), s.uncontrolled())
}

// AdmitAdoptions undoes RefuseAdoptions, and returns when the API server does no longer refuse.
func (s *Scenario) AdmitAdoptions(ctx context.Context) {
	s.tb.Helper()
	s.lift(ctx, s.onNamespace(history.AdmitAdoptions), s.uncontrolled())
}

// awaitAdoption waits until a patch that gives a pod its controller, and stores nothing, is refused, or is not. Once no pod is without, none is
// refused.
func (s *Scenario) awaitAdoption(ctx context.Context, refused bool) error {
	const body = `{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"nobody","uid":"nobody","controller":true}]}}`
	pods := s.admin.CoreV1().Pods(s.namespace)
	return s.poll(ctx, func(ctx context.Context) (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		orphans := slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return metav1.GetControllerOf(&pod) != nil })
		if len(orphans) == 0 {
			return !refused, nil
		}
		_, err = pods.Patch(ctx, orphans[0].Name, types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case apierrors.IsNotFound(err):
			return false, nil
		case err != nil && !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err):
			return false, err
		}
		// Of a pod that has got another controller meanwhile, too: it is not among them next time.
		return (err != nil) == refused, nil
	})
}
