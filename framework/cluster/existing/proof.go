package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/cluster/traces"

	"golang.org/x/sync/errgroup"
)

const (
	// proofTimeout is long enough to pull small images.
	proofTimeout = 3 * time.Minute
	// idleFor is how long nobody may have reacted to a DaemonSet; a controller that works does within a second.
	idleFor = 10 * time.Second
	// trialName is what what is tried is called.
	trialName = "trial"
)

// RunOnEveryNode proves that every node runs such a pod and makes it Ready, and that the API server reaches its port, where GET on the path must succeed.
func (c *Cluster) RunOnEveryNode(ctx context.Context, spec corev1.PodSpec, port int, path string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proofTimeout, fmt.Errorf("not Ready after %s", proofTimeout))
	defer cancel()
	if err := c.awaitServiceAccount(ctx); err != nil {
		return err
	}
	var group errgroup.Group
	for _, node := range c.nodes {
		group.Go(func() error {
			if err := c.runOn(ctx, node, spec, port, path); err != nil {
				return fmt.Errorf("try pods on node %s: %w", node, err)
			}
			return nil
		})
	}
	return errors.Join(group.Wait(), traces.RemovePods(context.WithoutCancel(ctx), c.client, namespaceName))
}

func (c *Cluster) runOn(ctx context.Context, node string, spec corev1.PodSpec, port int, path string) error {
	pods := c.client.CoreV1().Pods(namespaceName)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: trialName + "-"}, Spec: *spec.DeepCopy()}
	pod.Spec.NodeName = node
	pod, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	lacks := "its kubelet has said nothing"
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		pod, err = pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		var hopeless bool
		if lacks, hopeless = unready(pod); hopeless {
			return false, errors.New("it will not do")
		}
		return lacks == "", nil
	})
	if err != nil {
		return fmt.Errorf("%w: %s", err, lacks)
	}
	_, err = c.client.CoreV1().RESTClient().Get().Namespace(namespaceName).Resource("pods").SubResource("proxy").
		Name(utilnet.JoinSchemeNamePort("", pod.Name, fmt.Sprint(port))).Suffix(path).Do(ctx).Raw()
	if err != nil {
		return fmt.Errorf("reach its pod through the API server, by which daemons are steered: %w", err)
	}
	return nil
}

// unready says what a pod lacks to be Ready, nothing if it is, and whether waiting is of no use.
func unready(pod *corev1.Pod) (lacks string, hopeless bool) {
	var all []string
	for _, status := range pod.Status.ContainerStatuses {
		switch {
		case status.State.Waiting != nil:
			reason := status.State.Waiting.Reason
			all = append(all, fmt.Sprintf("image %s: %s: %s", status.Image, reason, status.State.Waiting.Message))
			// The kubelet has tried more than once, or never will.
			hopeless = hopeless || slices.Contains([]string{"ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"}, reason)
		case status.State.Terminated != nil:
			all, hopeless = append(all, fmt.Sprintf("image %s: it ended with exit code %d", status.Image, status.State.Terminated.ExitCode)), true
		case !status.Ready:
			all = append(all, fmt.Sprintf("image %s: its kubelet does not find it ready", status.Image))
		}
	}
	switch {
	case pod.Status.Phase == corev1.PodFailed:
		return strings.Join(append(all, fmt.Sprintf("the pod failed: %s: %s", pod.Status.Reason, pod.Status.Message)), "\n    "), true
	case len(pod.Status.ContainerStatuses) < len(pod.Spec.Containers):
		return fmt.Sprintf("the pod is %s, and its containers are not there yet", pod.Status.Phase), false
	}
	if more := len(all) - 1; more > 0 {
		all = append(all[:1], fmt.Sprintf("%d more containers lack something", more))
	}
	return strings.Join(all, "\n    "), hopeless
}

// awaitServiceAccount waits until pods may be made in the run's namespace.
func (c *Cluster) awaitServiceAccount(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		_, err := c.client.CoreV1().ServiceAccounts(namespaceName).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("wait for namespace %s to have its service account: %w", namespaceName, err)
	}
	return nil
}

// NobodyRunsDaemonSets proves that no controller does the work of kube-controller-manager's daemonset-controller: a DaemonSet with such pods, for the nodes
// set aside, is left alone.
func (c *Cluster) NobodyRunsDaemonSets(ctx context.Context, spec corev1.PodSpec) error {
	sets := c.client.AppsV1().DaemonSets(namespaceName)
	app := map[string]string{"app": trialName}
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: trialName}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: app},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: app}, Spec: *spec.DeepCopy()},
	}}
	set.Spec.Template.Spec.NodeSelector, set.Spec.Template.Spec.RestartPolicy = NodeSelector(), corev1.RestartPolicyAlways
	if _, err := sets.Create(ctx, set, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("try a DaemonSet: %w", err)
	}
	seen := errors.New("it was given a status")
	// A look that is under way at the end is not cut short: that would be an error.
	err := wait.PollUntilContextTimeout(ctx, pollInterval, idleFor, true, func(context.Context) (bool, error) {
		set, err := sets.Get(ctx, trialName, metav1.GetOptions{})
		if err == nil && set.Status.ObservedGeneration > 0 {
			err = seen
		}
		return false, err
	})
	tidied := traces.RemovePods(context.WithoutCancel(ctx), c.client, namespaceName)
	switch {
	case errors.Is(err, seen):
		err = errors.New("somebody runs this cluster's DaemonSets, while the implementation, which replaces daemonset-controller, does not run yet: switch that off " +
			"(--controllers=*,-daemonset-controller of kube-controller-manager), or test what runs there with launch: {none: {}} and without replaces")
	case ctx.Err() == nil && wait.Interrupted(err):
		err = nil
	default:
		err = fmt.Errorf("try a DaemonSet: %w", err)
	}
	return errors.Join(err, tidied)
}
