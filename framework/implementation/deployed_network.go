package implementation

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// packetsScript is what a pod's machine does; see signalScript.
//
//go:embed machine_packets.sh
var packetsScript string

// podNetwork is the network that the implementation's pods have to themselves, in which packets are dropped. Addresses there are those that the
// implementation uses.
type podNetwork struct{ *deployed }

var _ Network = podNetwork{}

// Available implements Capability.
func (d podNetwork) Available(ctx context.Context) error {
	if err := d.machinesReached(); err != nil {
		return err
	}
	deployment, err := d.deployment(ctx)
	if err == nil && deployment.Spec.Template.Spec.HostNetwork {
		err = unavailablef("the pods of %s are in their nodes' network, where their packets look like everybody's", d.name)
	}
	return err
}

// CutOff implements Network.
func (d podNetwork) CutOff(ctx context.Context) error {
	err := d.onEach(ctx, func(pod *corev1.Pod) error {
		if err := d.disturbed(ctx, pod, cut, forever()); err != nil {
			return err
		}
		return d.packets(ctx, pod, "drop")
	})
	return d.doing("cutting off", err)
}

// Reconnect implements Network.
func (d podNetwork) Reconnect(ctx context.Context) error {
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

// packets has those between the pod and the API server dropped, or passed again.
func (d podNetwork) packets(ctx context.Context, pod *corev1.Pod, fate string) error {
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
func (d podNetwork) apiServer(ctx context.Context) ([]string, error) {
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
