package implementation

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// deployTimeout is how long pods may take to become ready: long enough to pull an image, or for another to give up its leadership.
	deployTimeout = 2 * time.Minute
	// removeTimeout bounds taking away what a failed launch left.
	removeTimeout = time.Minute
)

// deployed is an implementation that runs in the cluster, in a Deployment. All that is known of its state is in the cluster, since several processes
// may hold it; see Attach.
type deployed struct {
	name     string
	spec     *ImageSpec
	replicas int32
	client   client.Client
	// logs reads what containers print, which client cannot.
	logs     kubernetes.Interface
	machines Machines
	logPath  string

	// owned says that it was launched by this process, which installed these objects for it.
	owned     bool
	installed []*unstructured.Unstructured
}

var _ Control = (*deployed)(nil)

func deploymentOf(i *Implementation, options LaunchOptions) (*deployed, error) {
	d := &deployed{name: i.Name, spec: i.Launch.Image, machines: options.Machines, logPath: options.LogPath}
	var err error
	d.replicas, err = d.spec.replicas()
	if err == nil {
		d.client, err = administrator(options.Cluster.Config())
	}
	if err == nil {
		d.logs, err = kubernetes.NewForConfig(options.Cluster.Config())
	}
	if err != nil {
		return nil, fmt.Errorf("reaching the implementation %s: %w", i.Name, err)
	}
	return d, nil
}

func launchImage(ctx context.Context, i *Implementation, options LaunchOptions) (Control, error) {
	d, err := deploymentOf(i, options)
	if err != nil {
		return nil, err
	}
	d.owned = true
	if err := d.launch(ctx, options.Artifact); err != nil {
		// The context may be what ended the launch.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		return nil, errors.Join(fmt.Errorf("launching the implementation %s: %w", i.Name, err), d.Stop(ctx))
	}
	return d, nil
}

func (d *deployed) launch(ctx context.Context, artifact Artifact) (err error) {
	if d.spec.ControlPlane != "" {
		artifact.Image, err = controlPlaneImage(ctx, d.client, d.spec.ControlPlane)
	}
	if err == nil && artifact.Archive != "" {
		err = d.machines.LoadImages(ctx, artifact.Archive)
	}
	if err == nil {
		d.installed, err = install(ctx, d.client, d.spec.with(artifact.Image))
	}
	if err != nil {
		return err
	}
	return d.AwaitReady(ctx)
}

// AwaitReady implements Control.
func (d *deployed) AwaitReady(ctx context.Context) error {
	missing := "nothing was seen of it"
	err := wait.PollUntilContextTimeout(ctx, pollInterval, deployTimeout, true, func(ctx context.Context) (bool, error) {
		deployment, err := d.deployment(ctx)
		if err != nil {
			return false, err
		}
		pods, err := d.podsOf(ctx, deployment)
		if err != nil {
			return false, err
		}
		missing, err = unready(deployment, pods, d.replicas)
		return missing == "", err
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be ready: %w: %s%s", d.name, err, missing, d.report(context.WithoutCancel(ctx)))
	}
	return nil
}

// Restart implements Control.
func (d *deployed) Restart(ctx context.Context) error {
	if err := d.end(ctx); err != nil {
		return fmt.Errorf("restarting %s: %w", d.name, err)
	}
	if err := d.scale(ctx, d.replicas); err != nil {
		return fmt.Errorf("restarting %s: %w", d.name, err)
	}
	return d.AwaitReady(ctx)
}

// StandDown implements Control.
func (d *deployed) StandDown(ctx context.Context) error {
	if err := d.end(ctx); err != nil {
		return fmt.Errorf("ending %s: %w", d.name, err)
	}
	return nil
}

// end has the pods end in their own way, and returns when they are gone.
func (d *deployed) end(ctx context.Context) error {
	pods, err := d.undisturbed(ctx)
	if err != nil {
		return err
	}
	if err := d.wake(ctx, pods); err != nil {
		return err
	}
	if err := errors.Join(d.saveLogs(ctx, pods), d.scale(ctx, 0)); err != nil {
		return err
	}
	return d.awaitGone(ctx, pods)
}

// wake has suspended processes go on: they would not see that they are to end. Where there are no machines nobody suspended any.
func (d *deployed) wake(ctx context.Context, pods []*corev1.Pod) error {
	if d.machines == nil {
		return nil
	}
	var failures []error
	for _, pod := range pods {
		_, err := d.signal(ctx, pod, "CONT")
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// Kill implements Control. A killed container would be started again, unless its pod is being deleted; a deleted one would be asked to end first. So
// the processes are stopped in their tracks, which is the moment of their death to all around, then deleted, then killed.
func (d *deployed) Kill(ctx context.Context) error {
	if err := d.kill(ctx); err != nil {
		return fmt.Errorf("killing %s: %w", d.name, err)
	}
	return nil
}

func (d *deployed) kill(ctx context.Context) error {
	pods, err := d.undisturbed(ctx)
	if err != nil {
		return err
	}
	for _, pod := range pods {
		if _, err := d.signal(ctx, pod, "STOP"); err != nil {
			return err
		}
	}
	if err := errors.Join(d.saveLogs(ctx, pods), d.scale(ctx, 0)); err != nil {
		return err
	}
	for _, pod := range pods {
		// Not zero seconds: the pod shall be there until its kubelet says that its containers are gone.
		if err := d.delete(ctx, pod, client.GracePeriodSeconds(1)); err != nil {
			return err
		}
		if _, err := d.signal(ctx, pod, "KILL"); err != nil {
			return err
		}
	}
	return d.awaitGone(ctx, pods)
}

// DeletePod implements Control.
func (d *deployed) DeletePod(ctx context.Context) error {
	pods, err := d.running(ctx)
	if err == nil {
		err = d.saveLogs(ctx, pods)
	}
	for _, pod := range pods {
		if err == nil {
			err = d.delete(ctx, pod)
		}
	}
	if err == nil {
		err = d.awaitGone(ctx, pods)
	}
	if err != nil {
		return fmt.Errorf("deleting the pods of %s: %w", d.name, err)
	}
	return nil
}

// Stop implements Control.
func (d *deployed) Stop(ctx context.Context) error {
	if !d.owned {
		return nil
	}
	var failures []error
	// Without a Deployment there is nothing to ask to end.
	if pods, err := d.pods(ctx); err == nil {
		failures = append(failures, d.saveLogs(ctx, pods), d.wake(ctx, pods))
	}
	failures = append(failures, remove(ctx, d.client, d.installed))
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("removing %s: %w", d.name, err)
	}
	d.installed = nil
	return nil
}

func (d *deployed) deployment(ctx context.Context) (*appsv1.Deployment, error) {
	var found appsv1.Deployment
	err := d.client.Get(ctx, d.spec.Deployment, &found)
	return &found, err
}

func (d *deployed) scale(ctx context.Context, replicas int32) error {
	deployment, err := d.deployment(ctx)
	if err != nil {
		return err
	}
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	return d.client.Patch(ctx, deployment, client.RawPatch(types.MergePatchType, patch), fieldOwner)
}
