package lever

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Simulated are the levers on pods of nodes that KWOK simulates: annotations that the stages in fixtures/stages obey.
type Simulated struct {
	Client   kubernetes.Interface
	Recorder Recorder
}

// effectTimeout is how long a pod may take to show what a lever did. It takes some 10 ms; more means that KWOK is not working.
const effectTimeout = 20 * time.Second

var _ Pods = Simulated{}

// BecomeUnready implements Pods.
func (l Simulated) BecomeUnready(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, "become unready", pod, stages.Readiness, "false", func(now *corev1.Pod) bool {
		return now == nil || !history.IsReady(now)
	})
}

// BecomeReady implements Pods.
func (l Simulated) BecomeReady(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, "become ready", pod, stages.Readiness, "true", func(now *corev1.Pod) bool {
		return now == nil || history.IsReady(now)
	})
}

// Fail implements Pods.
func (l Simulated) Fail(ctx context.Context, pod *corev1.Pod) error {
	return l.end(ctx, "fail", pod, corev1.PodFailed)
}

// Succeed implements Pods.
func (l Simulated) Succeed(ctx context.Context, pod *corev1.Pod) error {
	return l.end(ctx, "succeed", pod, corev1.PodSucceeded)
}

func (l Simulated) end(ctx context.Context, name string, pod *corev1.Pod, phase corev1.PodPhase) error {
	return l.annotate(ctx, name, pod, stages.Phase, string(phase), func(now *corev1.Pod) bool {
		return now == nil || now.Status.Phase == phase
	})
}

// HoldTermination implements Pods.
func (l Simulated) HoldTermination(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, "hold termination", pod, stages.Termination, "hold", func(now *corev1.Pod) bool {
		return now == nil || now.Annotations[stages.Termination] == "hold"
	})
}

// ReleaseTermination implements Pods.
func (l Simulated) ReleaseTermination(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, "release termination", pod, stages.Termination, "release", func(now *corev1.Pod) bool {
		return now == nil || now.DeletionTimestamp == nil && now.Annotations[stages.Termination] == "release"
	})
}

// SetReadySince implements Pods.
func (l Simulated) SetReadySince(ctx context.Context, pod *corev1.Pod, since time.Time) error {
	condition := map[string]any{"type": corev1.PodReady, "lastTransitionTime": nil}
	wanted := metav1.NewTime(since.Truncate(time.Second))
	if !since.IsZero() {
		condition["lastTransitionTime"] = wanted
	}
	patch := map[string]any{"status": map[string]any{"conditions": []any{condition}}}
	return l.patch(ctx, "set Ready transition time", since.Format(time.TimeOnly), pod, patch, "status", func(now *corev1.Pod) bool {
		if now == nil {
			return true
		}
		ready := history.Ready(now)
		return ready != nil && ready.LastTransitionTime.Time.Equal(wanted.Time)
	})
}

func (l Simulated) annotate(ctx context.Context, name string, pod *corev1.Pod, key, value string, effect func(*corev1.Pod) bool) error {
	patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}}
	return l.patch(ctx, name, "", pod, patch, "", effect)
}

// patch records the stimulus, patches the pod and waits for the effect; a pod that is gone shows every effect.
func (l Simulated) patch(ctx context.Context, name, detail string, pod *corev1.Pod, patch any, subresource string, effect func(now *corev1.Pod) bool) error {
	body, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("%s pod %s: %w", name, pod.Name, err)
	}
	err = l.Recorder.Stimulus(history.Stimulus{
		Lever: name, Kind: history.KindPod, Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: history.NodeOf(pod), Detail: detail,
	})
	if err != nil {
		return err
	}
	var subresources []string
	if subresource != "" {
		subresources = []string{subresource}
	}
	_, err = l.Client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, subresources...)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("%s pod %s: %w", name, pod.Name, err)
	}
	bounded, cancel := context.WithTimeout(ctx, effectTimeout)
	defer cancel()
	err = l.Recorder.Await(bounded, func(cluster *history.Cluster) bool { return effect(cluster.Pods[pod.UID]) })
	if err != nil {
		return fmt.Errorf("%s pod %s: the pod does not show it: %w", name, pod.Name, err)
	}
	return nil
}
