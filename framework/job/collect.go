package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/exec"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

const (
	// lookInterval is how often the pods are polled.
	lookInterval = 3 * time.Second
	// mostFailures is after how many failed attempts to fetch the results of a pod Collect gives up.
	mostFailures = 5
)

// ErrNoJob is wrapped where the Job does not exist, or is not one that `rollcall job` wrote.
var ErrNoJob = errors.New("no results to collect")

// Exec executes a command in the pod's container and returns when it has ended. An exit code other than 0 is an exec.CodeExitError.
type Exec func(ctx context.Context, pod string, command []string, out, errorOut io.Writer) error

// Collector fetches the results of a Job.
type Collector struct {
	Client          kubernetes.Interface
	Exec            Exec
	Namespace, Name string
	// Folder receives a folder for each shard, named by its number, from 1.
	Folder string
	// Tell receives a line of text for each step.
	Tell func(text string)

	// every is how often the pods are polled. Default: lookInterval.
	every  time.Duration
	shards int
	// pods are those whose results were fetched, and failures the failed attempts, by index.
	pods     map[int]string
	failures map[int]int
	// said are the texts that Tell has received and that are not repeated.
	said map[string]bool
}

// Collect waits until all shards have run, and returns the folders of their results, in the order of the shards. The pods wait until Release. It fails if there is
// no such Job (ErrNoJob), if a pod or the Job ends before its results were fetched, or if fetching them failed five times.
func (c *Collector) Collect(ctx context.Context) ([]string, error) {
	c.pods, c.failures, c.said = map[int]string{}, map[int]int{}, map[string]bool{}
	tick := time.NewTicker(cmp.Or(c.every, lookInterval))
	defer tick.Stop()
	for {
		if err := c.look(ctx); err != nil {
			return nil, err
		}
		if len(c.pods) == c.shards {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	var folders []string
	for index := range c.shards {
		folders = append(folders, c.folder(index))
	}
	return folders, nil
}

// Release lets the pods end whose results were fetched. Pods that could not be told are in the error; they wait until the Job's deadline.
func (c *Collector) Release(ctx context.Context) error {
	var failures []error
	for index, pod := range c.pods {
		if err := c.Exec(ctx, pod, []string{Program, ResultsCommand, FetchedFlag}, io.Discard, io.Discard); err != nil {
			failures = append(failures, fmt.Errorf("end the pod of shard %s: %w", c.shard(index), err))
		}
	}
	return errors.Join(failures...)
}

func (c *Collector) folder(index int) string { return filepath.Join(c.Folder, strconv.Itoa(index+1)) }

func (c *Collector) shard(index int) string { return fmt.Sprintf("%d/%d", index+1, c.shards) }

// look fetches the results of the shards that are done.
func (c *Collector) look(ctx context.Context) error {
	job, err := c.Client.BatchV1().Jobs(c.Namespace).Get(ctx, c.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%w: there is no Job %s in namespace %s: apply the manifest that `rollcall job` wrote, or name the Job", ErrNoJob, c.Name, c.Namespace)
	}
	if err != nil {
		return fmt.Errorf("read Job %s/%s: %w", c.Namespace, c.Name, err)
	}
	if job.Spec.CompletionMode == nil || *job.Spec.CompletionMode != batchv1.IndexedCompletion || job.Spec.Completions == nil {
		return fmt.Errorf("%w: Job %s/%s is not one that `rollcall job` wrote: its completionMode is not Indexed", ErrNoJob, c.Namespace, c.Name)
	}
	c.shards = int(*job.Spec.Completions)
	pods, err := c.Client.CoreV1().Pods(c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + c.Name})
	if err != nil {
		return fmt.Errorf("list the pods of Job %s/%s: %w", c.Namespace, c.Name, err)
	}
	for _, pod := range pods.Items {
		index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
		if err != nil || index < 0 || index >= c.shards || c.pods[index] != "" {
			continue
		}
		if err := c.take(ctx, index, &pod); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(job.Status.Conditions, isOver); i >= 0 && len(c.pods) < c.shards {
		over := job.Status.Conditions[i]
		return fmt.Errorf("the Job is over (%s: %s), and results of %d of %d shards were not collected", over.Reason, over.Message, c.shards-len(c.pods), c.shards)
	}
	return nil
}

func isOver(condition batchv1.JobCondition) bool {
	return (condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed) && condition.Status == corev1.ConditionTrue
}

// take fetches the results of a pod, if it has any.
func (c *Collector) take(ctx context.Context, index int, pod *corev1.Pod) error {
	switch pod.Status.Phase {
	case corev1.PodRunning:
		return c.fetch(ctx, index, pod.Name)
	case corev1.PodSucceeded, corev1.PodFailed:
		if history.IsDisruptionTarget(pod) {
			c.tellOnce("shard %s begins again: its pod %s was taken from its node", c.shard(index), pod.Name)
			return nil
		}
		return fmt.Errorf("the pod of shard %s has ended%s, and its results were not collected: kubectl -n %s logs %s", c.shard(index), howEnded(pod), c.Namespace, pod.Name)
	}
	for _, status := range pod.Status.ContainerStatuses {
		if waits := status.State.Waiting; waits != nil && waits.Reason != "ContainerCreating" {
			c.tellOnce("shard %s waits: %s: %s", c.shard(index), waits.Reason, waits.Message)
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			c.tellOnce("shard %s waits: %s: %s", c.shard(index), condition.Reason, condition.Message)
		}
	}
	return nil
}

func howEnded(pod *corev1.Pod) string {
	for _, status := range pod.Status.ContainerStatuses {
		if ended := status.State.Terminated; ended != nil {
			return fmt.Sprintf(" with exit code %d (%s)", ended.ExitCode, ended.Reason)
		}
	}
	return ""
}

func (c *Collector) fetch(ctx context.Context, index int, pod string) error {
	fresh := filepath.Join(c.Folder, "arriving")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	unpacked := make(chan error, 1)
	go func() {
		err := ReadResults(reader, fresh)
		// What is left of a stream that cannot be read must not hold up whoever writes it.
		_, _ = io.Copy(io.Discard, reader)
		unpacked <- err
	}()
	var said bytes.Buffer
	err := c.Exec(ctx, pod, []string{Program, ResultsCommand}, writer, &said)
	_ = writer.Close()
	unreadable := <-unpacked
	if code := (exec.CodeExitError{}); errors.As(err, &code) && code.Code == ExitRunning {
		c.tellOnce("shard %s runs in pod %s", c.shard(index), pod)
		return nil
	}
	if err == nil {
		err = unreadable
	}
	if err == nil {
		err = os.Rename(fresh, c.folder(index))
	}
	if err != nil {
		return c.failed(ctx, index, pod, err, said.String())
	}
	c.pods[index] = pod
	c.Tell(fmt.Sprintf("shard %s: its results are here", c.shard(index)))
	return nil
}

// failed decides after a failed attempt to fetch results: nil to try again, since the connection may have been cut.
func (c *Collector) failed(ctx context.Context, index int, pod string, err error, said string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.failures[index]++
	if said != "" {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(said))
	}
	err = fmt.Errorf("fetch the results of shard %s from pod %s: %w", c.shard(index), pod, err)
	if apierrors.IsForbidden(err) || c.failures[index] >= mostFailures {
		return err
	}
	c.Tell(err.Error() + "; trying again")
	return nil
}

func (c *Collector) tellOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !c.said[text] {
		c.said[text] = true
		c.Tell(text)
	}
}
