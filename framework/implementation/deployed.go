package implementation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	gates    map[string]string // LaunchSpec.Gates
	replicas int32
	client   client.Client
	// clientset reads what containers print, and watches, which client cannot.
	clientset kubernetes.Interface
	machines  Machines
	logPath   string

	// owned says that it was launched by this process, which installed these objects for it.
	owned     bool
	installed []*unstructured.Unstructured
	// exited is closed at the first end that nobody asked for, until unfollow. Both are nil where it was attached to.
	exited   chan struct{}
	unfollow context.CancelFunc
}

var (
	_ life         = (*deployed)(nil)
	_ Restarter    = (*deployed)(nil)
	_ Reconfigurer = (*deployed)(nil)
	_ PodDeleter   = (*deployed)(nil)
)

func deploymentOf(i *Implementation, options LaunchOptions) (*deployed, error) {
	d := &deployed{name: i.Name, spec: i.Launch.Image, gates: i.Launch.Gates, machines: options.Machines, logPath: options.LogPath}
	var err error
	d.replicas, err = d.spec.replicas()
	if err == nil {
		d.client, err = administrator(options.Cluster.Config())
	}
	if err == nil {
		d.clientset, err = kubernetes.NewForConfig(options.Cluster.Config())
	}
	if err != nil {
		return nil, fmt.Errorf("reaching the implementation %s: %w", i.Name, err)
	}
	return d, nil
}

func (d *deployed) running() *Running {
	return &Running{
		life: d, capabilities: []Capability{d, machineSignals{d}, podNetwork{d}},
		without: unavailablef("%s is launched by image, this takes one that is a local process", d.name),
	}
}

func launchImage(ctx context.Context, i *Implementation, options LaunchOptions) (*Running, error) {
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
	return d.running(), nil
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
		err = refused(ctx, err)
	}
	if err == nil {
		err = refused(ctx, d.AwaitReady(ctx))
	}
	if err == nil {
		err = d.follow(ctx)
	}
	return err
}

// Available implements Capability, for what takes nothing but the API.
func (d *deployed) Available(context.Context) error { return nil }

// AwaitReady implements life.
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

// Restart implements Restarter.
func (d *deployed) Restart(ctx context.Context) error {
	_, before := d.undisturbed(ctx)
	err := d.start(ctx, Change{}, nil)
	if err == nil {
		err = d.AwaitReady(ctx)
	}
	if err == nil && before != nil && d.owned {
		d.unfollow()
		err = d.follow(ctx)
	}
	return d.doing("restarting", errors.Join(before, err))
}

// RestartWith implements Reconfigurer.
func (d *deployed) RestartWith(ctx context.Context, change Change) error {
	gates, err := change.gateArgs(d.gates)
	if err != nil {
		return err
	}
	if _, err := d.spec.container(); err != nil {
		return unavailablef("it cannot be told which container is the implementation: %v", err)
	}
	if _, err := d.undisturbed(ctx); err != nil {
		return d.doing("restarting", err)
	}
	if err := d.start(ctx, change, gates); err != nil {
		return d.doing("restarting", err)
	}
	if err := d.AwaitReady(ctx); err != nil {
		// Ends of containers are explained by what the error says of them; the next restart is not to take them for others.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		return d.doing("restarting", errors.Join(err, d.end(ctx)))
	}
	return nil
}

// StandDown implements Restarter.
func (d *deployed) StandDown(ctx context.Context) error {
	_, err := d.undisturbed(ctx)
	if err == nil {
		err = d.end(ctx)
	}
	return d.doing("ending", err)
}

// start ends the implementation, and starts it as the file says but for the change.
func (d *deployed) start(ctx context.Context, change Change, gates []string) error {
	if err := d.end(ctx); err != nil {
		return err
	}
	return d.patch(ctx, func(deployment *appsv1.Deployment) {
		deployment.Spec.Replicas = &d.replicas
		// Where it cannot be told which container is the implementation, none was changed either.
		original, err := d.spec.container()
		containers := deployment.Spec.Template.Spec.Containers
		at := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == original.Name })
		if err == nil && at >= 0 {
			change.rewriteContainer(&containers[at], original, gates)
		}
	})
}

// end has the pods end in their own way, whatever became of them before, and returns when they are gone.
func (d *deployed) end(ctx context.Context) error {
	pods, err := d.pods(ctx)
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

// DeletePod implements PodDeleter.
func (d *deployed) DeletePod(ctx context.Context) error {
	pods, err := d.alive(ctx)
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
	return d.doing("deleting the pods of", err)
}

// Stop implements life.
func (d *deployed) Stop(ctx context.Context) error {
	if !d.owned {
		return nil
	}
	if d.unfollow != nil {
		d.unfollow()
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
	return d.patch(ctx, func(deployment *appsv1.Deployment) { deployment.Spec.Replicas = &replicas })
}

func (d *deployed) patch(ctx context.Context, change func(*appsv1.Deployment)) error {
	deployment, err := d.deployment(ctx)
	if err != nil {
		return err
	}
	before := deployment.DeepCopy()
	change(deployment)
	return d.client.Patch(ctx, deployment, client.MergeFrom(before), fieldOwner)
}

// doing says what an error ended.
func (d *deployed) doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, d.name, err)
}
