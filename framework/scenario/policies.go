package scenario

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// admissionPolicy is an admission policy against something that is done to objects of the scenario's namespace.
type admissionPolicy struct {
	// name is the policy's, and its binding's, before the namespace's.
	name string
	// objects are those that it is about.
	objects   schema.GroupVersionResource
	operation admissionv1.OperationType
	// allowed is a CEL expression that holds for what the API server goes on doing, message what it says when it refuses the rest.
	allowed, message string
	// words is a CEL expression of what it says instead; empty for message.
	words string
	// await waits until the API server refuses by the policy, or does no longer: it learns of policies by watches of its own.
	await func(ctx context.Context, refuses bool) error
}

// podObjects and revisionObjects are what policies are about.
var (
	podObjects      = corev1.SchemeGroupVersion.WithResource("pods")
	revisionObjects = appsv1.SchemeGroupVersion.WithResource("controllerrevisions")
)

// enforce has the API server obey the policy until lift, or the scenario's end, and returns when it does. A scenario on a Kubernetes without admission policies,
// before 1.30, ends there.
func (s *Scenario) enforce(ctx context.Context, stimulus history.Stimulus, p admissionPolicy) {
	s.tb.Helper()
	name := p.name + "." + s.namespace
	policies, bindings := s.admin.AdmissionregistrationV1().ValidatingAdmissionPolicies(), s.admin.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	s.held = append(s.held, func(ctx context.Context) error { return s.dropPolicy(ctx, p) })
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		if _, err := policies.Create(ctx, p.policy(name), metav1.CreateOptions{}); err != nil {
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
		return p.await(ctx, true)
	})
	if apierrors.IsNotFound(err) {
		s.tb.Skipf("the API server has no admission policies, by which it could be made to %s", stimulus.Act)
	}
	s.must(err, "%s", stimulus.Act)
}

// lift undoes enforce, and returns when the API server does no longer refuse.
func (s *Scenario) lift(ctx context.Context, stimulus history.Stimulus, p admissionPolicy) {
	s.tb.Helper()
	s.must(s.Do(ctx, stimulus, func(ctx context.Context) error { return s.dropPolicy(ctx, p) }), "%s", stimulus.Act)
}

// dropPolicy deletes the policy, if it is there, and waits until it is in force no longer.
func (s *Scenario) dropPolicy(ctx context.Context, p admissionPolicy) error {
	name, registered := p.name+"."+s.namespace, s.admin.AdmissionregistrationV1()
	bound := registered.ValidatingAdmissionPolicyBindings().Delete(ctx, name, metav1.DeleteOptions{})
	for _, err := range []error{bound, registered.ValidatingAdmissionPolicies().Delete(ctx, name, metav1.DeleteOptions{})} {
		if ignoreNotFound(err) != nil {
			return err
		}
	}
	if bound != nil {
		// It was lifted before, or never in force.
		return nil
	}
	return p.await(ctx, false)
}

// policy is the policy as an object.
func (p admissionPolicy) policy(name string) *admissionv1.ValidatingAdmissionPolicy {
	fail := admissionv1.Fail
	return &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{p.operation},
					Rule:       admissionv1.Rule{APIGroups: []string{p.objects.Group}, APIVersions: []string{p.objects.Version}, Resources: []string{p.objects.Resource}},
				},
			}}},
			Validations: []admissionv1.Validation{{Expression: p.allowed, Message: p.message, MessageExpression: p.words}},
		},
	}
}
