package scenario

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// updatePolicy is what a recording says of the policy: nothing if it is the default.
func (e Environment) updatePolicy() *history.UpdatePolicy {
	if e.PodUpdatePolicy == history.DefaultUpdatePolicy() {
		return nil
	}
	return &e.PodUpdatePolicy
}

// InPlaceIfPossible makes the DaemonSet ask for updates in place.
func (s *Scenario) InPlaceIfPossible() Edit {
	return s.PodUpdatePolicy(s.env.PodUpdatePolicy.InPlaceIfPossible)
}

// Recreate makes the DaemonSet ask for pods to be deleted and created again.
func (s *Scenario) Recreate() Edit { return s.PodUpdatePolicy(s.env.PodUpdatePolicy.Recreate) }

// PodUpdatePolicy gives the DaemonSet the policy, which need not be one that there is.
func (s *Scenario) PodUpdatePolicy(policy string) Edit {
	return edit(func(d *appsv1.DaemonSet) {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, s.env.PodUpdatePolicy.Annotation, policy)
	}, "pod update policy %s", policy)
}

// RefusePodUpdates makes the API server refuse other images for the pods of the scenario's namespace, until AdmitPodUpdates, and returns when it does. pod is
// any of them. A scenario on a Kubernetes without admission policies, before 1.30, ends there.
func (s *Scenario) RefusePodUpdates(ctx context.Context) {
	s.tb.Helper()
	name := "refuse-pod-updates." + s.namespace
	policies, bindings := s.admin.AdmissionregistrationV1().ValidatingAdmissionPolicies(), s.admin.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	remove := func(ctx context.Context) error {
		if err := ignoreNotFound(bindings.Delete(ctx, name, metav1.DeleteOptions{})); err != nil {
			return err
		}
		return ignoreNotFound(policies.Delete(ctx, name, metav1.DeleteOptions{}))
	}
	s.held = append(s.held, remove)
	err := s.Do(ctx, s.onNamespace(history.RefusePodUpdates), func(ctx context.Context) error {
		if _, err := policies.Create(ctx, refusingImages(name), metav1.CreateOptions{}); err != nil {
			return err
		}
		binding := &admissionv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
				MatchResources: &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
					corev1.LabelMetadataName: s.namespace,
				}}},
			},
		}
		if _, err := bindings.Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
		return s.awaitPatches(ctx, true)
	})
	if apierrors.IsNotFound(err) {
		s.tb.Skipf("the API server has no admission policies, by which it could be made to refuse updates of pods")
	}
	s.must(err, "have the API server refuse updates of pods")
}

// AdmitPodUpdates undoes RefusePodUpdates, and returns when the API server does no longer refuse.
func (s *Scenario) AdmitPodUpdates(ctx context.Context) {
	s.tb.Helper()
	name := "refuse-pod-updates." + s.namespace
	err := s.Do(ctx, s.onNamespace(history.AdmitPodUpdates), func(ctx context.Context) error {
		if err := s.admin.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		return s.awaitPatches(ctx, false)
	})
	s.must(err, "have the API server admit updates of pods")
}

// RefusesImages is what the API server says by RefusePodUpdates.
const RefusesImages = "images of pods are not to be changed here"

// awaitPatches waits until a patch of one of the scenario's pods, which stores nothing, is refused, or is not. The API server learns of policies by
// watches of its own. Which pods there are is the implementation's business: they may be replaced meanwhile.
func (s *Scenario) awaitPatches(ctx context.Context, refused bool) error {
	pods := s.admin.CoreV1().Pods(s.namespace)
	return s.poll(ctx, func(ctx context.Context) (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil || len(list.Items) == 0 {
			return false, err
		}
		pod := &list.Items[0]
		body := fmt.Sprintf(`{"spec":{"containers":[{"name":%q,"image":"rollcall.dev/refused:v1"}]}}`, pod.Spec.Containers[0].Name)
		_, err = pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case apierrors.IsNotFound(err):
			return false, nil
		case err != nil && !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err):
			return false, err
		}
		return (err != nil) == refused, nil
	})
}

// refusingImages is a policy against other images of a pod's containers.
func refusingImages(name string) *admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	return &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Update},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				},
			}}},
			Validations: []admissionv1.Validation{{
				Expression: "object.spec.containers.all(c, oldObject.spec.containers.exists(o, o.name == c.name && o.image == c.image))",
				Message:    RefusesImages,
			}},
		},
	}
}
