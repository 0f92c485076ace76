package scenario

import (
	"context"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// mutation is what the API server changes of objects when they are written.
type mutation struct {
	// name is the policy's, and its binding's.
	name      string
	operation admissionv1.OperationType
	resource  admissionv1.Rule
	// of is a CEL expression that holds for the objects, patch one of the JSON patches.
	of, patch string
}

// mutate has the API server change what is written by the policy until the scenario is over, and returns when it is in force: it learns of policies by watches of
// its own. It fails where the API server knows no such policies, before Kubernetes 1.36.
func (s *Scenario) mutate(ctx context.Context, stimulus history.Stimulus, m mutation, inForce wait.ConditionWithContextFunc) error {
	s.tb.Helper()
	policies, bindings := s.admin.AdmissionregistrationV1().MutatingAdmissionPolicies(), s.admin.AdmissionregistrationV1().MutatingAdmissionPolicyBindings()
	s.held = append(s.held, func(ctx context.Context) error {
		if err := ignoreNotFound(bindings.Delete(ctx, m.name, metav1.DeleteOptions{})); err != nil {
			return err
		}
		return ignoreNotFound(policies.Delete(ctx, m.name, metav1.DeleteOptions{}))
	})
	return s.Do(ctx, stimulus, func(ctx context.Context) error {
		if _, err := policies.Create(ctx, m.policy(), metav1.CreateOptions{}); err != nil {
			return err
		}
		binding := &admissionv1.MutatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: m.name}, Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: m.name},
		}
		if _, err := bindings.Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
		return s.poll(ctx, inForce)
	})
}

func (m mutation) policy() *admissionv1.MutatingAdmissionPolicy {
	fail := admissionv1.Fail
	return &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: m.name},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			FailurePolicy: &fail, ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{m.operation}, Rule: m.resource,
			}}}},
			MatchConditions: []admissionv1.MatchCondition{{Name: "is-meant", Expression: m.of}},
			Mutations:       []admissionv1.Mutation{{PatchType: admissionv1.PatchTypeJSONPatch, JSONPatch: &admissionv1.JSONPatch{Expression: m.patch}}},
		},
	}
}

// podChange is what admission changes of pods that are created: containers, or their images.
type podChange struct {
	// says what, empty for what is usual; patches are JSON patches in CEL.
	says, patches string
}

// ChangePods has admission change every pod that is created in the scenario's namespace until its end, as service meshes and policy engines do: it adds a
// container behind the others, and replaces the grace period. A scenario ends there on a Kubernetes without such policies, before 1.36, and where no audit log says what the
// controller sent.
func (s *Scenario) ChangePods(ctx context.Context) {
	s.tb.Helper()
	s.changePods(ctx, withContainer("", "-"))
}

// ChangePodsInFront is ChangePods with the container before all others, as of a service mesh for which the others wait.
func (s *Scenario) ChangePodsInFront(ctx context.Context) {
	s.tb.Helper()
	s.changePods(ctx, withContainer("with a container in front", "0"))
}

// MirrorSidecars is ChangePods, but has the image of every pod's second container come from a mirror, and changes nothing else. Pods with one container stay as they are.
func (s *Scenario) MirrorSidecars(ctx context.Context) {
	s.tb.Helper()
	s.changePods(ctx, podChange{"with the second container's image from a mirror", `object.spec.containers.size() < 2 ? [] : [
		JSONPatch{op: "replace", path: "/spec/containers/1/image", value: "mirror.rollcall.dev/" + object.spec.containers[1].image}
	]`})
}

// withContainer adds a container at the place in the list, as a path of JSON patches has it.
func withContainer(says, place string) podChange {
	return podChange{says, fmt.Sprintf(`[
		JSONPatch{op: "add", path: "/spec/terminationGracePeriodSeconds", value: %d},
		JSONPatch{op: "add", path: "/spec/containers/%s", value: Object.spec.containers{name: "sidecar", image: object.spec.containers[0].image}}
	]`, admittedGrace, place)}
}

func (s *Scenario) changePods(ctx context.Context, change podChange) {
	s.tb.Helper()
	if s.env.Authors == nil {
		s.tb.Skipf("no audit log says how pods were before admission changed them")
	}
	m := mutation{
		name: "change-pods." + s.namespace, operation: admissionv1.Create,
		resource: admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
		of:       fmt.Sprintf("object.metadata.namespace == %q", s.namespace),
		patch:    change.patches,
	}
	stimulus := s.onNamespace(history.ChangePods)
	stimulus.Detail = change.says
	err := s.mutate(ctx, stimulus, m, func(ctx context.Context) (bool, error) {
		probe := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-", Namespace: s.namespace}, Spec: s.env.podSpec()}
		second := *probe.Spec.Containers[0].DeepCopy()
		second.Name = "second"
		probe.Spec.Containers = append(probe.Spec.Containers, second)
		made, err := s.admin.CoreV1().Pods(s.namespace).Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && !slices.Equal(imagesOf(made), imagesOf(probe)), err
	})
	if apierrors.IsNotFound(err) {
		s.tb.Skipf("the API server has no mutating admission policies, by which it could be made to %s", history.ChangePods)
	}
	s.must(err, "%s", history.ChangePods)
}

func imagesOf(pod *corev1.Pod) []string {
	var images []string
	for _, container := range pod.Spec.Containers {
		images = append(images, container.Image)
	}
	return images
}

// admittedGrace is the grace period, in seconds, that admission sets.
const admittedGrace = 7
