package implementation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/util/podutils"
)

// errDown is what is wrong with waiting for what nobody started.
var errDown = errors.New("it was killed and not restarted since")

// disturbance is something that is done to a pod whose containers may end because of it. A pod's annotation of that name says until when: any process
// that holds the implementation can tell such an end from one that nobody asked for.
type disturbance string

const (
	crash      disturbance = "rollcall.dev/crashed-until"
	suspension disturbance = "rollcall.dev/suspended-until"
	cut        disturbance = "rollcall.dev/cut-off-until"
)

// aftermath is how long after a suspension or a cut its effects may last: a lost leadership is noticed, a lost connection given up.
const aftermath = time.Minute

// forever is until when, while nobody knows.
func forever() time.Time { return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC) }

// disturbedUntil is the time after which no disturbance explains the end of a container.
func disturbedUntil(pod *corev1.Pod) time.Time {
	var last time.Time
	for _, d := range []disturbance{crash, suspension, cut} {
		until, err := time.Parse(time.RFC3339, pod.Annotations[string(d)])
		if err == nil && until.After(last) {
			last = until
		}
	}
	return last
}

// unexpected describes the ends of the pods' containers that nobody asked for. Pods that are being deleted were asked to end.
func unexpected(pods []*corev1.Pod) []string {
	var ends []string
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		if pod.Status.Phase == corev1.PodFailed {
			ends = append(ends, fmt.Sprintf("pod %s failed: %s %s", pod.Name, pod.Status.Reason, pod.Status.Message))
		}
		for _, status := range pod.Status.ContainerStatuses {
			end := lastEnd(status)
			if end == nil || !end.FinishedAt.After(disturbedUntil(pod)) {
				continue
			}
			ends = append(ends, fmt.Sprintf("container %s of pod %s ended at %s with exit code %d (%s), it was started again %d times so far%s",
				status.Name, pod.Name, end.FinishedAt.UTC().Format(time.TimeOnly), end.ExitCode, end.Reason, status.RestartCount, messageOf(end)))
		}
	}
	return ends
}

// messageOf is the last line of the container's termination message, after a colon; empty if there is none. With terminationMessagePolicy
// FallbackToLogsOnError that is the last line that it logged.
func messageOf(end *corev1.ContainerStateTerminated) string {
	message := strings.TrimSpace(end.Message)
	if message == "" {
		return ""
	}
	return ": " + message[strings.LastIndexByte(message, '\n')+1:]
}

func lastEnd(status corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if status.State.Terminated != nil {
		return status.State.Terminated
	}
	return status.LastTerminationState.Terminated
}

// runningContainers are the IDs of those that the pod's status shows running.
func runningContainers(pod *corev1.Pod) []string {
	var ids []string
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Running != nil {
			ids = append(ids, status.ContainerID)
		}
	}
	return ids
}

// unready says what is missing for the implementation to be ready, nothing if it is. The error says that it will never be.
func unready(deployment *appsv1.Deployment, pods []*corev1.Pod, want int32) (string, error) {
	if deployment.Spec.Replicas != nil && *deployment.Spec.Replicas == 0 {
		return "", errDown
	}
	status := deployment.Status
	if status.ObservedGeneration < deployment.Generation || status.Replicas != want || status.UpdatedReplicas != want {
		return fmt.Sprintf("the Deployment has %d pods, %d of them up to date, of %d", status.Replicas, status.UpdatedReplicas, want), nil
	}
	// The Deployment may be behind its pods.
	ready := 0
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			return fmt.Sprintf("pod %s is still being deleted", pod.Name), nil
		}
		if podutils.IsPodReady(pod) {
			ready++
		}
	}
	if ready != int(want) || len(pods) != ready {
		return fmt.Sprintf("%d pods are ready of %d", ready, want), nil
	}
	return "", nil
}

// describe says in a line how a pod is, and why it does not run.
func describe(pod *corev1.Pod) string {
	parts := []string{fmt.Sprintf("pod %s on node %q: %s", pod.Name, pod.Spec.NodeName, pod.Status.Phase)}
	for _, c := range pod.Status.Conditions {
		if c.Status != corev1.ConditionTrue && c.Message != "" {
			parts = append(parts, fmt.Sprintf("not %s: %s", c.Type, c.Message))
		}
	}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if waiting := status.State.Waiting; waiting != nil {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("container %s waits: %s %s", status.Name, waiting.Reason, waiting.Message)))
		}
		if end := lastEnd(status); end != nil {
			parts = append(parts, fmt.Sprintf("container %s ended with exit code %d (%s)", status.Name, end.ExitCode, end.Reason))
		}
	}
	return strings.Join(parts, "; ")
}
