package scenario

import (
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Refuser is a way in which the API server comes to refuse pods.
type Refuser string

// The ways to refuse pods.
const (
	// ByLimit: a LimitRange forbids a pod that asks for no memory, as ours do.
	ByLimit Refuser = "LimitRange"
	// ByQuota: a ResourceQuota has no pods left.
	ByQuota Refuser = "ResourceQuota"
	// ByWebhook: an admission webhook does not answer, which the API server reports as an internal error.
	ByWebhook Refuser = "webhook"
)

// RefuserName is in what the API server says when it refuses a pod ByQuota or ByWebhook.
const RefuserName = "refuse-pods"

// RefusePods makes the API server refuse to create pods in the scenario's namespace until AdmitPods, and returns when it does.
func (s *Scenario) RefusePods(ctx context.Context, by Refuser) {
	s.tb.Helper()
	s.requireAdmission(ctx)
	stimulus := s.onNamespace(history.RefusePods)
	stimulus.Detail = "by " + string(by)
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		if err := s.refuser(ctx, by); err != nil {
			return err
		}
		return s.awaitPods(ctx, func(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsInternalError(err) })
	})
	s.must(err, "have the API server refuse pods")
	if by == ByWebhook {
		// It is in no namespace.
		s.held = append(s.held, func(ctx context.Context) error { return s.deleteWebhook(ctx, s.admin) })
	}
}

// RefusePodsOf is RefusePods by a webhook, for the pods of these nodes: those that name one as theirs, or ask for it.
func (s *Scenario) RefusePodsOf(ctx context.Context, nodes ...string) {
	s.tb.Helper()
	s.requireAdmission(ctx)
	named := strings.Join(nodes, ", ")
	stimulus := s.onNamespace(history.RefusePods)
	stimulus.Detail = fmt.Sprintf("of node %s, by %s", named, ByWebhook)
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		webhook := s.webhook()
		webhook.Webhooks[0].MatchConditions = []admissionv1.MatchCondition{{Name: "node", Expression: isForAny(nodes)}}
		if _, err := s.client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx, webhook, metav1.CreateOptions{}); err != nil {
			return err
		}
		// It is in force for all of them at once.
		return s.awaitPod(ctx, func(pod *corev1.Pod) { pod.Spec.NodeName = nodes[0] }, apierrors.IsInternalError)
	})
	s.must(err, "have the API server refuse the pods of node %s", named)
	s.held = append(s.held, func(ctx context.Context) error { return s.deleteWebhook(ctx, s.admin) })
}

// isForAny is a CEL expression that holds for pods of the nodes, however they say so.
func isForAny(nodes []string) string {
	expressions := make([]string, len(nodes))
	for i, node := range nodes {
		expressions[i] = isFor(node)
	}
	return strings.Join(expressions, " || ")
}

// isFor is a CEL expression that holds for pods of the node.
func isFor(node string) string {
	const required = "object.spec.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution.?nodeSelectorTerms.orValue([])"
	return fmt.Sprintf(`object.spec.?nodeName.orValue("") == %[1]q || object.spec.?nodeSelector[?%[2]q].orValue("") == %[1]q || `+required+
		`.exists(t, (t.?matchFields.orValue([]) + t.?matchExpressions.orValue([])).exists(r, r.?values.orValue([]).exists(v, v == %[1]q)))`, node, corev1.LabelHostname)
}

// AdmitPods undoes RefusePods and RefusePodsOf, and returns when the API server creates pods.
func (s *Scenario) AdmitPods(ctx context.Context) {
	s.tb.Helper()
	core := s.client.CoreV1()
	err := s.Do(ctx, s.onNamespace(history.AdmitPods), func(ctx context.Context) error {
		for _, err := range []error{
			core.LimitRanges(s.namespace).Delete(ctx, RefuserName, metav1.DeleteOptions{}),
			core.ResourceQuotas(s.namespace).Delete(ctx, RefuserName, metav1.DeleteOptions{}),
			s.deleteWebhook(ctx, s.client),
		} {
			if ignoreNotFound(err) != nil {
				return err
			}
		}
		return s.awaitPods(ctx, func(err error) bool { return err == nil })
	})
	s.must(err, "have the API server admit pods")
}

// refuser makes what refuses pods.
func (s *Scenario) refuser(ctx context.Context, by Refuser) error {
	meta := metav1.ObjectMeta{Name: RefuserName, Namespace: s.namespace}
	var err error
	switch by {
	case ByLimit:
		_, err = s.client.CoreV1().LimitRanges(s.namespace).Create(ctx, &corev1.LimitRange{
			ObjectMeta: meta,
			Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
				Type: corev1.LimitTypePod, Min: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
			}}},
		}, metav1.CreateOptions{})
	case ByQuota:
		_, err = s.client.CoreV1().ResourceQuotas(s.namespace).Create(ctx, &corev1.ResourceQuota{
			ObjectMeta: meta, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
		}, metav1.CreateOptions{})
	case ByWebhook:
		_, err = s.client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx, s.webhook(), metav1.CreateOptions{})
	default:
		err = fmt.Errorf("nothing refuses pods by %q", by)
	}
	return err
}

// webhook is asked about every pod of the scenario's namespace, and nobody listens where it should be.
func (s *Scenario) webhook() *admissionv1.ValidatingWebhookConfiguration {
	nowhere, fail, none := "https://127.0.0.1:1/", admissionv1.Fail, admissionv1.SideEffectClassNone
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: s.webhookName()},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: RefuserName + ".rollcall.dev", ClientConfig: admissionv1.WebhookClientConfig{URL: &nowhere},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.namespace}},
			FailurePolicy:     &fail, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func (s *Scenario) webhookName() string { return s.namespace + "." + RefuserName }

func (s *Scenario) deleteWebhook(ctx context.Context, client kubernetes.Interface) error {
	return ignoreNotFound(client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(ctx, s.webhookName(), metav1.DeleteOptions{}))
}

// awaitPods is awaitPod for a pod of any node.
func (s *Scenario) awaitPods(ctx context.Context, wanted func(error) bool) error {
	return s.awaitPod(ctx, func(*corev1.Pod) {}, wanted)
}

// awaitPod tries to create a pod until the API server's answer is as wanted: it learns of what refuses pods by watches of its own.
func (s *Scenario) awaitPod(ctx context.Context, edit func(*corev1.Pod), wanted func(error) bool) error {
	probe := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-", Namespace: s.namespace}, Spec: s.env.podSpec()}
	edit(probe)
	var answer error
	err := s.poll(ctx, func(ctx context.Context) (bool, error) {
		_, answer = s.admin.CoreV1().Pods(s.namespace).Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return wanted(answer), nil
	})
	if err != nil {
		return fmt.Errorf("%w; the last answer to a pod: %v", err, answer)
	}
	return nil
}
