package implementation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// linesOfLog is how many of the last lines an error shows.
	linesOfLog = 20
	// lookTimeout bounds what is asked for without a context.
	lookTimeout = 10 * time.Second
)

// pods returns those of the Deployment, in any state.
func (d *deployed) pods(ctx context.Context) ([]*corev1.Pod, error) {
	deployment, err := d.deployment(ctx)
	if err != nil {
		return nil, err
	}
	return d.podsOf(ctx, deployment)
}

func (d *deployed) podsOf(ctx context.Context, deployment *appsv1.Deployment) ([]*corev1.Pod, error) {
	selector, err := metav1.LabelSelectorAsSelector(deployment.Spec.Selector)
	if err != nil {
		return nil, err
	}
	var list corev1.PodList
	if err := d.client.List(ctx, &list, client.InNamespace(deployment.Namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return nil, err
	}
	var pods []*corev1.Pod
	for i := range list.Items {
		pods = append(pods, &list.Items[i])
	}
	return pods, nil
}

// undisturbed returns the pods unless one of their containers ended without being asked to: what is about to be done would cover that up.
func (d *deployed) undisturbed(ctx context.Context) ([]*corev1.Pod, error) {
	pods, err := d.pods(ctx)
	if err != nil {
		return nil, err
	}
	if ends := unexpected(pods); len(ends) > 0 {
		return nil, fmt.Errorf("it ended by itself before: %s", strings.Join(ends, "; "))
	}
	return pods, nil
}

// alive is undisturbed for what takes at least one pod.
func (d *deployed) alive(ctx context.Context) ([]*corev1.Pod, error) {
	pods, err := d.undisturbed(ctx)
	if err == nil && len(pods) == 0 {
		err = errDown
	}
	return pods, err
}

func (d *deployed) delete(ctx context.Context, pod *corev1.Pod, options ...client.DeleteOption) error {
	options = append(options, client.Preconditions{UID: &pod.UID})
	return client.IgnoreNotFound(d.client.Delete(ctx, pod, options...))
}

// awaitGone returns when none of these pods is left.
func (d *deployed) awaitGone(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		err := wait.PollUntilContextTimeout(ctx, pollInterval, deployTimeout, true, func(ctx context.Context) (bool, error) {
			var found corev1.Pod
			err := d.client.Get(ctx, client.ObjectKeyFromObject(pod), &found)
			return err != nil || found.UID != pod.UID, client.IgnoreNotFound(err)
		})
		if err != nil {
			return fmt.Errorf("waiting for pod %s to be gone: %w", pod.Name, err)
		}
	}
	return nil
}

// printed is what a container printed, or why that cannot be had.
func (d *deployed) printed(ctx context.Context, pod *corev1.Pod, options corev1.PodLogOptions) string {
	content, err := d.clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &options).DoRaw(ctx)
	if err != nil {
		return fmt.Sprintf("(no log of container %s of pod %s: %v)\n", options.Container, pod.Name, err)
	}
	return string(content)
}

// saveLogs appends what the pods printed to the log file, before they go.
func (d *deployed) saveLogs(ctx context.Context, pods []*corev1.Pod) (err error) {
	if d.logPath == "" || len(pods) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(d.logPath), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(d.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, pod := range pods {
		for _, status := range pod.Status.ContainerStatuses {
			if status.RestartCount > 0 {
				before := d.printed(ctx, pod, corev1.PodLogOptions{Container: status.Name, Previous: true})
				if _, err := fmt.Fprintf(file, "--- %s, container %s, before its last restart\n%s", pod.Name, status.Name, before); err != nil {
					return err
				}
			}
			printed := d.printed(ctx, pod, corev1.PodLogOptions{Container: status.Name})
			if _, err := fmt.Fprintf(file, "--- %s, container %s\n%s", pod.Name, status.Name, printed); err != nil {
				return err
			}
		}
	}
	return nil
}
