package scenario

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// ReferByVersion has the pod name its controller by another group and version of the API, as one does that was made when that was in use: it is the same object,
// which its UID says. It returns when the recording shows it.
func (s *Scenario) ReferByVersion(ctx context.Context, pod *corev1.Pod, apiVersion string) {
	s.tb.Helper()
	stimulus := onPod(history.ReferByVersion, pod)
	stimulus.Detail = apiVersion
	pods := s.client.CoreV1().Pods(pod.Namespace)
	stored, err := rewrite(ctx, s, stimulus, pods, func(current *corev1.Pod) {
		if controller := metav1.GetControllerOfNoCopy(current); controller != nil {
			controller.APIVersion = apiVersion
		}
	}, pods.Update)
	s.must(err, "have pod %s refer to its controller by %s", pod.Name, apiVersion)
	s.Require(ctx, "the recording shows the reference", state.When("pod "+pod.Name+" was changed", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || shows(now, stored)
	}))
}

// Detach takes the pod from its owners and gives it these labels, in one write: whose it was, and who selected it, only the pod before that tells. It returns
// when the recording shows it.
func (s *Scenario) Detach(ctx context.Context, pod *corev1.Pod, labels map[string]string) {
	s.tb.Helper()
	pods := s.client.CoreV1().Pods(pod.Namespace)
	stored, err := rewrite(ctx, s, onPod(history.DetachPod, pod), pods, func(current *corev1.Pod) {
		current.OwnerReferences = nil
		maps.Copy(current.Labels, labels)
	}, pods.Update)
	s.must(err, "detach pod %s", pod.Name)
	s.Require(ctx, "the recording shows that it is nobody's", state.When("pod "+pod.Name+" was changed", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || shows(now, stored)
	}))
}
