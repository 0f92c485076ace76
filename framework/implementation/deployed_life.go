package implementation

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// follow has exited closed as soon as a container ends without being asked to, until unfollow is called.
func (d *deployed) follow(ctx context.Context) error {
	deployment, err := d.deployment(ctx)
	if err != nil {
		return err
	}
	pods := d.clientset.CoreV1().Pods(deployment.Namespace)
	selector := metav1.FormatLabelSelector(deployment.Spec.Selector)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = selector
			return pods.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selector
			return pods.Watch(ctx, options)
		},
	}
	ctx, d.unfollow = context.WithCancel(context.WithoutCancel(ctx))
	d.exited = make(chan struct{})
	go func() {
		_, err := watchtools.UntilWithSync(ctx, cache.ToListWatcherWithWatchListSemantics(source, d.clientset), &corev1.Pod{}, nil, func(event watch.Event) (bool, error) {
			pod, ok := event.Object.(*corev1.Pod)
			return ok && event.Type != watch.Deleted && len(unexpected([]*corev1.Pod{pod})) > 0, nil
		})
		// The error is that of a context that ended.
		if err == nil {
			close(d.exited)
		}
	}()
	return nil
}

// Exited implements life.
func (d *deployed) Exited() <-chan struct{} { return d.exited }

// ExitStatus implements life.
func (d *deployed) ExitStatus() string {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	pods, err := d.pods(ctx)
	if err != nil {
		return fmt.Sprintf("its pods cannot be looked at: %v", err)
	}
	return strings.Join(unexpected(pods), "; ")
}

// LogTail implements life.
func (d *deployed) LogTail(n int) []string {
	lines := d.lines(corev1.PodLogOptions{TailLines: ptr.To(int64(n))})
	return lines[max(0, len(lines)-n):]
}

// lines are what the containers printed, one after another.
func (d *deployed) lines(options corev1.PodLogOptions) []string {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	pods, err := d.pods(ctx)
	if err != nil {
		return []string{fmt.Sprintf("(its pods cannot be looked at: %v)", err)}
	}
	var lines []string
	for _, pod := range pods {
		for _, container := range pod.Spec.Containers {
			options.Container = container.Name
			printed := strings.TrimSuffix(d.printed(ctx, pod, options), "\n")
			if printed != "" {
				lines = append(lines, strings.Split(printed, "\n")...)
			}
		}
	}
	return lines
}

// LogEnd implements life: pods' logs know when a line was printed.
func (d *deployed) LogEnd() int64 { return time.Now().UnixNano() }

// LogSince implements life.
func (d *deployed) LogSince(position int64, n int, text string) []string {
	since := metav1.NewTime(time.Unix(0, position))
	return process.About(d.lines(corev1.PodLogOptions{SinceTime: &since, LimitBytes: ptr.To(int64(logAtMost))}), n, text)
}

// WaitsSince implements life: nobody asks the machines behind nodes.
func (d *deployed) WaitsSince(time.Time) []process.Wait { return nil }

// logAtMost bounds what is read of a container's log.
const logAtMost = 1 << 20

// report describes the pods for an error, with their last words.
func (d *deployed) report(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	deployment, err := d.deployment(ctx)
	if err != nil {
		return fmt.Sprintf("; its Deployment cannot be looked at: %v", err)
	}
	var text strings.Builder
	for _, c := range deployment.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure {
			fmt.Fprintf(&text, "\n    %s", c.Message)
		}
	}
	pods, err := d.podsOf(ctx, deployment)
	if err != nil {
		return fmt.Sprintf("; its pods cannot be looked at: %v", err)
	}
	for _, pod := range pods {
		fmt.Fprintf(&text, "\n    %s", describe(pod))
	}
	return text.String() + lastWords(d.LogTail(linesOfLog))
}

// lastWords is the end of a log in the form in which errors quote it.
func lastWords(lines []string) string {
	if len(lines) == 0 {
		return "; it printed nothing"
	}
	return "\n  the last lines of its log:\n    " + strings.Join(lines, "\n    ")
}
