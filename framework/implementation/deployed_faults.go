package implementation

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What a pod's machine does, as shell scripts. containerd knows a pod's containers by its UID, also where the API server is behind.
var (
	//go:embed machine_signal.sh
	signalScript string
	//go:embed machine_packets.sh
	packetsScript string
)

// errNoMachines is wrapped by what takes machines and is asked for where there are none.
var errNoMachines = fmt.Errorf("nobody reaches the machines behind these nodes: %w", errors.ErrUnsupported)

// Crash implements Control.
func (d *deployed) Crash(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		killed := runningContainers(pod)
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

// Suspend implements Control.
func (d *deployed) Suspend(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		if err := d.disturbed(ctx, pod, suspension, forever()); err != nil {
			return err
		}
		return d.signalRunning(ctx, pod, "STOP")
	})
	return d.doing("suspending", err)
}

// Resume implements Control.
func (d *deployed) Resume(ctx context.Context) error {
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

// CutOff implements Control. The packets are dropped in the pod's own network, where addresses are those that the implementation uses.
func (d *deployed) CutOff(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		if pod.Spec.HostNetwork {
			return fmt.Errorf("pod %s is in its node's network, where its packets look like everybody's: %w", pod.Name, errors.ErrUnsupported)
		}
		if err := d.disturbed(ctx, pod, cut, forever()); err != nil {
			return err
		}
		return d.packets(ctx, pod, "drop")
	})
	return d.doing("cutting off", err)
}

// Reconnect implements Control.
func (d *deployed) Reconnect(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		if pod.Annotations[string(cut)] == "" {
			return nil // it came later
		}
		if err := d.packets(ctx, pod, "pass"); err != nil {
			return err
		}
		return d.disturbed(ctx, pod, cut, time.Now().Add(aftermath))
	})
	return d.doing("reconnecting", err)
}

// onEach does something to each of the pods, of which there must be some.
func (d *deployed) onEach(ctx context.Context, act func(*corev1.Pod) error) error {
	pods, err := d.running(ctx)
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

func (d *deployed) doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, d.name, err)
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
	if d.machines == nil {
		return 0, fmt.Errorf("SIG%s to pod %s: %w", signal, pod.Name, errNoMachines)
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

// packets has those between the pod and the API server dropped, or passed again.
func (d *deployed) packets(ctx context.Context, pod *corev1.Pod, fate string) error {
	if d.machines == nil {
		return fmt.Errorf("packets of pod %s: %w", pod.Name, errNoMachines)
	}
	addresses, err := d.apiServer(ctx)
	if err != nil {
		return err
	}
	command := append([]string{"sh", "-euc", packetsScript, "packets", string(pod.UID), fate}, addresses...)
	if _, err := d.machines.Run(ctx, pod.Spec.NodeName, command...); err != nil {
		return fmt.Errorf("packets of pod %s: %w", pod.Name, err)
	}
	return nil
}

// apiServer returns the addresses, host:port, at which pods reach it: that of its Service, which is what they are told, and its own.
func (d *deployed) apiServer(ctx context.Context) ([]string, error) {
	var addresses []string
	var service corev1.Service
	if err := d.client.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceDefault, Name: "kubernetes"}, &service); err != nil {
		return nil, err
	}
	for _, port := range service.Spec.Ports {
		addresses = append(addresses, net.JoinHostPort(service.Spec.ClusterIP, strconv.Itoa(int(port.Port))))
	}
	var slices discoveryv1.EndpointSliceList
	if err := d.client.List(ctx, &slices, client.InNamespace(service.Namespace), client.MatchingLabels{discoveryv1.LabelServiceName: service.Name}); err != nil {
		return nil, err
	}
	for _, slice := range slices.Items {
		for _, port := range slice.Ports {
			for _, endpoint := range slice.Endpoints {
				addresses = append(addresses, net.JoinHostPort(endpoint.Addresses[0], strconv.Itoa(int(ptr.Deref(port.Port, 0)))))
			}
		}
	}
	return addresses, nil
}
