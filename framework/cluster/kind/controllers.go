package kind

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
)

const (
	controllerManager = "kube-controller-manager"
	manifestDir       = "/etc/kubernetes/manifests"
	// stagingPath is on the manifests' file system, and kubelet does not look there.
	stagingPath = "/etc/kubernetes/rollcall-staged-manifest"
)

// SwitchOff implements cluster.Cluster by editing the manifest of kube-controller-manager, a static pod: kubelet ends the old process and starts
// another, which takes some seconds.
func (c *Cluster) SwitchOff(ctx context.Context, controllers ...string) error {
	if err := c.editControllerManager(ctx, func(pod *corev1.Pod) { withoutControllers(pod, controllers) }); err != nil {
		return fmt.Errorf("switch controllers %q off: %w", controllers, err)
	}
	return nil
}

// settleControllerManager switches the disabled controllers off for the first time. From then on kube-controller-manager is looked at every second while
// it starts, rather than every ten: SwitchOff waits for that.
func (c *Cluster) settleControllerManager(ctx context.Context) error {
	err := c.editControllerManager(ctx, func(pod *corev1.Pod) {
		withoutControllers(pod, c.options.DisabledControllers)
		promptStart(pod)
	})
	if err != nil {
		return fmt.Errorf("switch controllers %q off: %w", c.options.DisabledControllers, err)
	}
	return nil
}

// ControlPlaneImage returns the image of a static pod of the control plane, which every machine has.
func (c *Cluster) ControlPlaneImage(ctx context.Context, component string) (string, error) {
	text, err := c.Run(ctx, c.controlPlane, "cat", path.Join(manifestDir, component+".yaml"))
	if err != nil {
		return "", err
	}
	pod, err := parseManifest(text)
	if err != nil {
		return "", fmt.Errorf("read the manifest of %s: %w", component, err)
	}
	return pod.Spec.Containers[0].Image, nil
}

// editControllerManager changes the manifest, unless it is as wanted already, and waits until what it says is what runs.
func (c *Cluster) editControllerManager(ctx context.Context, change func(*corev1.Pod)) error {
	manifest := path.Join(manifestDir, controllerManager+".yaml")
	text, err := c.Run(ctx, c.controlPlane, "cat", manifest)
	if err != nil {
		return err
	}
	edited, wanted, err := editManifest(text, change)
	if err != nil {
		return fmt.Errorf("edit %s: %w", manifest, err)
	}
	if edited != text {
		if err := c.replaceManifest(ctx, manifest, edited, wanted); err != nil {
			return err
		}
	}
	return c.awaitStaticPod(ctx, wanted)
}

// replaceManifest puts another manifest in a static pod's place. The pod goes before its successor comes: kubelet would let one that finds its
// predecessor still there wait for ten seconds more.
func (c *Cluster) replaceManifest(ctx context.Context, manifest, text string, pod *corev1.Pod) error {
	if err := nodeutils.WriteFile(c.machines[c.controlPlane], stagingPath, text); err != nil {
		return fmt.Errorf("write %s: %w", stagingPath, withOutput(err))
	}
	if _, err := c.Run(ctx, c.controlPlane, "rm", manifest); err != nil {
		return err
	}
	gone := wait.PollUntilContextTimeout(ctx, pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := c.mirror(ctx, pod)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if gone != nil {
		gone = fmt.Errorf("wait for %s to end: %w", pod.Name, gone)
	}
	// Whatever happens, the cluster is not left without it; and kubelet must not see half a manifest.
	_, err := c.Run(context.WithoutCancel(ctx), c.controlPlane, "mv", stagingPath, manifest)
	return errors.Join(gone, err)
}

// mirror is what the API shows of a static pod on the control plane's machine.
func (c *Cluster) mirror(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	return c.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name+"-"+c.controlPlane, metav1.GetOptions{})
}

// awaitStaticPod waits until a pod as in the manifest is Ready and no other container of it is left.
func (c *Cluster) awaitStaticPod(ctx context.Context, wanted *corev1.Pod) error {
	last := "nothing"
	err := wait.PollUntilContextTimeout(ctx, pollInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		mirror, err := c.mirror(ctx, wanted)
		switch {
		case apierrors.IsNotFound(err):
			last = "the pod is gone"
			return false, nil
		case err != nil:
			return false, err
		}
		var id string
		if id, last = runningAs(mirror, wanted); id == "" {
			return false, nil
		}
		running, err := c.runningContainers(ctx, mirror.Name)
		last = fmt.Sprintf("these containers run: %q, the pod's is %s", running, id)
		return slices.Equal(running, []string{id}), err
	})
	if err != nil {
		return fmt.Errorf("wait for %s to run as its manifest says: %w; last seen: %s", wanted.Name, err, last)
	}
	return nil
}

// runningContainers are the IDs of those of a static pod's containers that run, sandboxes aside.
func (c *Cluster) runningContainers(ctx context.Context, pod string) ([]string, error) {
	ofPod, err := c.Run(ctx, c.controlPlane, "ctr", "--namespace=k8s.io", "containers", "list", "--quiet",
		`labels."io.kubernetes.pod.name"==`+pod+`,labels."io.cri-containerd.kind"==container`)
	if err != nil {
		return nil, err
	}
	running, err := c.Run(ctx, c.controlPlane, "ctr", "--namespace=k8s.io", "tasks", "list", "--quiet")
	tasks := strings.Fields(running)
	return slices.DeleteFunc(strings.Fields(ofPod), func(id string) bool { return !slices.Contains(tasks, id) }), err
}

// runningAs returns the ID of the mirror pod's container if it is Ready and runs the wanted command, or says what it lacks.
func runningAs(mirror, wanted *corev1.Pod) (id, lacks string) {
	if command := mirror.Spec.Containers[0].Command; !slices.Equal(command, wanted.Spec.Containers[0].Command) {
		return "", fmt.Sprintf("the command is %q", command)
	}
	for _, status := range mirror.Status.ContainerStatuses {
		if !status.Ready || status.State.Running == nil {
			return "", "the container is not Ready"
		}
		_, id, _ = strings.Cut(status.ContainerID, "://")
	}
	if id == "" {
		return "", "there is no container"
	}
	return id, ""
}
