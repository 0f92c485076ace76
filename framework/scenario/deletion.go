package scenario

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// The patches by which an object, once deleted, goes on existing, and by which it may go.
const (
	hold  = `{"metadata":{"finalizers":["rollcall.dev/hold"]}}`
	letGo = `{"metadata":{"finalizers":null}}`
)

// DeleteDaemonSet deletes the DaemonSet, and what it controls as the policy says.
func (s *Scenario) DeleteDaemonSet(ctx context.Context, daemonSet *appsv1.DaemonSet, policy metav1.DeletionPropagation) {
	s.tb.Helper()
	stimulus := onDaemonSet(history.DeleteDaemonSet, daemonSet)
	stimulus.Detail = "propagation " + string(policy)
	err := s.Do(ctx, stimulus, func(ctx context.Context) error {
		return s.client.AppsV1().DaemonSets(daemonSet.Namespace).Delete(ctx, daemonSet.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
	})
	s.must(err, "delete DaemonSet %s", daemonSet.Name)
}

// HoldDaemonSet keeps the DaemonSet, once deleted, until the scenario is over: it goes on existing, and being deleted.
func (s *Scenario) HoldDaemonSet(ctx context.Context, daemonSet *appsv1.DaemonSet) {
	s.tb.Helper()
	patch := func(ctx context.Context, client kubernetes.Interface, body string) error {
		_, err := client.AppsV1().DaemonSets(daemonSet.Namespace).Patch(ctx, daemonSet.Name, types.MergePatchType, []byte(body), metav1.PatchOptions{})
		return ignoreNotFound(err)
	}
	err := s.Do(ctx, onDaemonSet(history.HoldDaemonSet, daemonSet), func(ctx context.Context) error { return patch(ctx, s.client, hold) })
	s.must(err, "hold DaemonSet %s", daemonSet.Name)
	s.held = append(s.held, func(ctx context.Context) error { return patch(ctx, s.admin, letGo) })
}

// RefusePods makes the API server refuse to create pods in the scenario's namespace from now on, and returns when it does.
func (s *Scenario) RefusePods(ctx context.Context) {
	s.tb.Helper()
	// A pod of ours asks for no memory, which a lower limit takes for less than the limit.
	limit := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "refuse-pods", Namespace: s.namespace},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypePod, Min: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
		}}},
	}
	err := s.Do(ctx, s.onNamespace(history.RefusePods), func(ctx context.Context) error {
		if _, err := s.client.CoreV1().LimitRanges(s.namespace).Create(ctx, limit, metav1.CreateOptions{}); err != nil {
			return err
		}
		bounded, cancel := context.WithTimeout(ctx, s.env.Patience)
		defer cancel()
		probe := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "refused-", Namespace: s.namespace}, Spec: podSpec(s.env.Images)}
		// The API server learns of the limit by a watch of its own.
		return wait.PollUntilContextCancel(bounded, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			_, err := s.admin.CoreV1().Pods(s.namespace).Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if apierrors.IsForbidden(err) {
				return true, nil
			}
			return false, err
		})
	})
	s.must(err, "have the API server refuse pods")
}

func onDaemonSet(act history.Act, daemonSet *appsv1.DaemonSet) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindDaemonSet, Namespace: daemonSet.Namespace, Name: daemonSet.Name, UID: daemonSet.UID}
}
