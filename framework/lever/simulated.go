package lever

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/fixtures/workload/behaviour"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Simulated are the levers on pods of nodes that KWOK simulates: annotations that the stages in fixtures/stages obey.
type Simulated struct {
	Client   kubernetes.Interface
	Recorder Recorder
}

var _ Pods = Simulated{}

// BecomeUnready implements Pods.
func (l Simulated) BecomeUnready(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.BecomeUnready, pod, stages.Readiness, "false", orEnding(unready))
}

// BecomeReady implements Pods.
func (l Simulated) BecomeReady(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.BecomeReady, pod, stages.Readiness, "true", orEnding(history.IsReady))
}

// Fail implements Pods.
func (l Simulated) Fail(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.FailPod, pod, stages.Phase, string(corev1.PodFailed), orEnding(inPhase(corev1.PodFailed)))
}

// Succeed implements Pods.
func (l Simulated) Succeed(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.SucceedPod, pod, stages.Phase, string(corev1.PodSucceeded), orEnding(inPhase(corev1.PodSucceeded)))
}

// HoldTermination implements Pods.
func (l Simulated) HoldTermination(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.HoldTermination, pod, stages.Termination, string(behaviour.Ignore), func(now *corev1.Pod) bool {
		return now.Annotations[stages.Termination] == string(behaviour.Ignore)
	})
}

// ReleaseTermination implements Pods.
func (l Simulated) ReleaseTermination(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.ReleaseTermination, pod, stages.Termination, string(behaviour.Exit), func(now *corev1.Pod) bool {
		return now.DeletionTimestamp == nil && now.Annotations[stages.Termination] == string(behaviour.Exit)
	})
}

// HoldRestart implements Pods.
func (l Simulated) HoldRestart(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.HoldRestart, pod, stages.Restart, "hold", func(now *corev1.Pod) bool { return now.Annotations[stages.Restart] == "hold" })
}

// ObserveUpdate implements Pods.
func (l Simulated) ObserveUpdate(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.ObserveUpdate, pod, stages.Restart, "observe", orEnding(func(now *corev1.Pod) bool {
		return now.Status.ObservedGeneration == 0 || now.Status.ObservedGeneration == now.Generation
	}))
}

// RestartAs implements Pods.
func (l Simulated) RestartAs(ctx context.Context, pod *corev1.Pod, image string) error {
	return l.annotate(ctx, history.RestartAs, pod, stages.Restart, "as:"+image, orEnding(func(now *corev1.Pod) bool {
		return slices.ContainsFunc(now.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool { return status.Image == image })
	}))
}

// RestartContainer implements Pods.
func (l Simulated) RestartContainer(ctx context.Context, pod *corev1.Pod, container string) error {
	return l.restart(ctx, pod, container, container, time.Now)
}

// RestartContainerAt implements Pods.
func (l Simulated) RestartContainerAt(ctx context.Context, pod *corev1.Pod, container string, clock time.Time) error {
	return l.restart(ctx, pod, container, container+" at "+clock.Format(time.TimeOnly), func() time.Time { return clock })
}

func (l Simulated) restart(ctx context.Context, pod *corev1.Pod, container, detail string, clock func() time.Time) error {
	var before int32
	act := func(ctx context.Context) error {
		pods := l.Client.CoreV1().Pods(pod.Namespace)
		return OnConflict(func() error {
			now, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			before = restart(now, container, clock())
			_, err = pods.UpdateStatus(ctx, now, metav1.UpdateOptions{})
			return err
		})
	}
	return pull{stimulus: history.RestartContainer, detail: detail, pod: pod, act: act, effect: func(now *corev1.Pod) bool {
		return slices.ContainsFunc(now.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool {
			return status.Name == container && status.RestartCount > before
		})
	}}.record(ctx, l.Recorder)
}

// restart makes the container of that name another instance, of the image in the pod's spec, that started at a time. It returns how often it had been
// restarted before.
func restart(pod *corev1.Pod, container string, started time.Time) (before int32) {
	pod.Status.ObservedGeneration = max(pod.Status.ObservedGeneration, pod.Generation)
	for i, wanted := range pod.Spec.Containers {
		if wanted.Name != container || i >= len(pod.Status.ContainerStatuses) {
			continue
		}
		status := &pod.Status.ContainerStatuses[i]
		before = status.RestartCount
		status.RestartCount++
		status.Image, status.ImageID = wanted.Image, "simulated://"+wanted.Image
		status.ContainerID = fmt.Sprintf("simulated://%s/%s/%d", pod.UID, container, status.RestartCount)
		status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(started)}}
	}
	return before
}

// ReleaseRestart implements Pods.
func (l Simulated) ReleaseRestart(ctx context.Context, pod *corev1.Pod) error {
	return l.annotate(ctx, history.ReleaseRestart, pod, stages.Restart, "", orEnding(runsItsSpec))
}

// runsItsSpec reports whether the node has come to every container's image.
func runsItsSpec(pod *corev1.Pod) bool {
	return slices.EqualFunc(pod.Spec.Containers, pod.Status.ContainerStatuses, func(wanted corev1.Container, is corev1.ContainerStatus) bool {
		return wanted.Image == is.Image
	})
}

// SetReadySince implements Pods.
func (l Simulated) SetReadySince(ctx context.Context, pod *corev1.Pod, since time.Time) error {
	condition := map[string]any{"type": corev1.PodReady, "lastTransitionTime": nil}
	wanted := metav1.NewTime(since.Truncate(time.Second))
	if !since.IsZero() {
		condition["lastTransitionTime"] = wanted
	}
	change := map[string]any{"status": map[string]any{"conditions": []any{condition}}}
	return pull{
		stimulus: history.SetReadySince, detail: since.Format(time.TimeOnly), pod: pod, act: patch(l.Client, pod, change, "status"),
		effect: func(now *corev1.Pod) bool {
			ready := history.Ready(now)
			return ready != nil && ready.LastTransitionTime.Time.Equal(wanted.Time)
		},
	}.record(ctx, l.Recorder)
}

// orEnding is the effect of an act that may come when the pod is already being deleted, by whomever: a simulated node then does nothing more to it but to end it.
func orEnding(effect func(*corev1.Pod) bool) func(*corev1.Pod) bool {
	return func(now *corev1.Pod) bool { return now.DeletionTimestamp != nil || effect(now) }
}

func (l Simulated) annotate(ctx context.Context, act history.Act, pod *corev1.Pod, key, value string, effect func(*corev1.Pod) bool) error {
	change := map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}}
	return pull{stimulus: act, pod: pod, act: patch(l.Client, pod, change), effect: effect}.record(ctx, l.Recorder)
}
