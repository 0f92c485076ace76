package implementation

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// signalScript is what a pod's machine does. containerd knows a pod's containers by its UID, also where the API server is behind.
//
//go:embed machine_signal.sh
var signalScript string

// machineSignals is what is done to the implementation's processes by the machines that they run on.
type machineSignals struct{ *deployed }

var (
	_ Killer    = machineSignals{}
	_ Suspender = machineSignals{}
	_ Crasher   = machineSignals{}
)

// Available implements Capability.
func (d machineSignals) Available(context.Context) error { return d.machinesReached() }

// machinesReached is why what takes machines is not available.
func (d *deployed) machinesReached() error {
	if d.machines == nil {
		return unavailablef("nobody reaches the machines behind these nodes")
	}
	return nil
}

// Crash implements Crasher.
func (d machineSignals) Crash(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		killed := runningContainers(pod)
		// Whoever watches is to know before it happens that somebody asked for it.
		if err := d.disturbed(ctx, pod, crash, forever()); err != nil {
			return err
		}
		if err := d.signalRunning(ctx, pod, "KILL"); err != nil {
			return err
		}
		end, err := d.awaitEnd(ctx, pod, killed)
		if err != nil {
			return err
		}
		return d.disturbed(ctx, pod, crash, end)
	})
	return d.doing("crashing", err)
}

// Suspend implements Suspender.
func (d machineSignals) Suspend(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		if err := d.disturbed(ctx, pod, suspension, forever()); err != nil {
			return err
		}
		return d.signalRunning(ctx, pod, "STOP")
	})
	return d.doing("suspending", err)
}

// Resume implements Suspender.
func (d machineSignals) Resume(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		if pod.Annotations[string(suspension)] == "" {
			return nil // it came later
		}
		if _, err := d.signal(ctx, pod, "CONT"); err != nil {
			return err
		}
		return d.disturbed(ctx, pod, suspension, time.Now().Add(aftermath))
	})
	return d.doing("resuming", err)
}

// Kill implements Killer. A killed container would be started again, unless its pod is being deleted; a deleted one would be asked to end first. So
// the processes are stopped in their tracks, which is the moment of their death to all around, then deleted, then killed.
func (d machineSignals) Kill(ctx context.Context) error { return d.doing("killing", d.kill(ctx)) }

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

// onEach does something to each of the pods, of which there must be some.
func (d *deployed) onEach(ctx context.Context, act func(*corev1.Pod) error) error {
	pods, err := d.alive(ctx)
	if err != nil {
		return err
	}
	for _, pod := range pods {
		if err := act(pod); err != nil {
			return err
		}
	}
	return nil
}

// disturbed notes until when the ends of the pod's containers are explained.
func (d *deployed) disturbed(ctx context.Context, pod *corev1.Pod, by disturbance, until time.Time) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, by, until.UTC().Format(time.RFC3339))
	return d.client.Patch(ctx, pod, client.RawPatch(types.MergePatchType, patch), fieldOwner)
}

// signal sends a signal to all processes of the pod's containers and returns how many there are.
func (d *deployed) signal(ctx context.Context, pod *corev1.Pod, signal string) (int, error) {
	if pod.Spec.NodeName == "" {
		return 0, nil
	}
	printed, err := d.machines.Run(ctx, pod.Spec.NodeName, "sh", "-euc", signalScript, "signal", string(pod.UID), signal)
	if err != nil {
		return 0, fmt.Errorf("SIG%s to pod %s: %w", signal, pod.Name, err)
	}
	return strconv.Atoi(strings.TrimSpace(printed))
}

// signalRunning is signal for what makes no sense without a process.
func (d *deployed) signalRunning(ctx context.Context, pod *corev1.Pod, signal string) error {
	processes, err := d.signal(ctx, pod, signal)
	if err == nil && processes == 0 {
		err = fmt.Errorf("SIG%s to pod %s: it has no processes; %s", signal, pod.Name, describe(pod))
	}
	return err
}

// awaitEnd returns when the kubelet has reported the end of these containers of the pod, with the time of the last.
func (d *deployed) awaitEnd(ctx context.Context, pod *corev1.Pod, containers []string) (time.Time, error) {
	var last time.Time
	err := wait.PollUntilContextTimeout(ctx, pollInterval, deployTimeout, true, func(ctx context.Context) (bool, error) {
		var found corev1.Pod
		if err := d.client.Get(ctx, client.ObjectKeyFromObject(pod), &found); err != nil {
			return false, err
		}
		for _, status := range found.Status.ContainerStatuses {
			if end := lastEnd(status); end != nil && end.FinishedAt.After(last) {
				last = end.FinishedAt.Time
			}
		}
		return !slices.ContainsFunc(runningContainers(&found), func(id string) bool { return slices.Contains(containers, id) }), nil
	})
	if err != nil {
		return last, fmt.Errorf("waiting for the kubelet of node %s to notice the end of pod %s's containers: %w", pod.Spec.NodeName, pod.Name, err)
	}
	return last, nil
}
