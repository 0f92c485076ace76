package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// sameImages is the policy against other images of the containers of these pods, or with none of any pod.
func (s *Scenario) sameImages(pods []*corev1.Pod) admissionPolicy {
	p := admissionPolicy{
		name: "refuse-pod-updates", objects: podObjects, operation: admissionv1.Update, message: RefusesImages,
		allowed: "object.spec.containers.all(c, oldObject.spec.containers.exists(o, o.name == c.name && o.image == c.image))",
		await:   func(ctx context.Context, refused bool) error { return s.awaitPatches(ctx, pods, refused) },
	}
	if len(pods) > 0 {
		p.allowed = fmt.Sprintf("!(object.metadata.name in %q.split(',')) || %s", strings.Join(podNames(pods), ","), p.allowed)
	}
	return p
}

// RefusesImages is what the API server says by RefusePodUpdates.
const RefusesImages = "images of pods are not to be changed here"

// RefusePodUpdates makes the API server refuse other images for these pods, or with none for all of the scenario's namespace, until AdmitPodUpdates, and returns
// when it does. A scenario on a Kubernetes without admission policies, before 1.30, ends there.
func (s *Scenario) RefusePodUpdates(ctx context.Context, pods ...*corev1.Pod) {
	s.tb.Helper()
	stimulus := s.onNamespace(history.RefusePodUpdates)
	if len(pods) > 0 {
		stimulus.Detail = "of " + strings.Join(podNames(pods), ", ")
	}
	s.enforce(ctx, stimulus, s.sameImages(pods))
}

// AdmitPodUpdates undoes RefusePodUpdates of the same pods, and returns when the API server does no longer refuse.
func (s *Scenario) AdmitPodUpdates(ctx context.Context, pods ...*corev1.Pod) {
	s.tb.Helper()
	s.lift(ctx, s.onNamespace(history.AdmitPodUpdates), s.sameImages(pods))
}

// awaitPatches waits until a patch of one of these pods, or with none of any of the scenario's, which stores nothing, is refused, or is not. Which pods there are
// is the implementation's business: they may be replaced meanwhile, and where there are none, none is refused.
func (s *Scenario) awaitPatches(ctx context.Context, of []*corev1.Pod, refused bool) error {
	pods := s.admin.CoreV1().Pods(s.namespace)
	return s.poll(ctx, func(ctx context.Context) (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		if len(of) > 0 {
			list.Items = slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return !slices.Contains(podNames(of), pod.Name) })
		}
		if len(list.Items) == 0 {
			return !refused, nil
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
