package scenario

import (
	"fmt"
	"hash/fnv"
	"path"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// probeInterval is from one request to the next: a gap in service shows to within that.
	probeInterval = 5 * time.Millisecond
	// probeRequestTimeout is when a request has failed. A machine under load must not make one fail.
	probeRequestTimeout = 10 * time.Second
	// probeLifetime in seconds is longer than any spec: what a scenario that broke off leaves behind ends by itself.
	probeLifetime = 600
)

// Ports of nodes that scenarios use, below those that Linux (32768) and Kubernetes' services (30000) give away. Nobody keeps a list: a scenario's ports
// follow from its name, and two names share a block of ports once in a thousand pairs.
const (
	firstPort, portBlocks, portsPerBlock = 20000, 1000, 5
	firstProbePort, probePorts           = firstPort + portBlocks*portsPerBlock, 5000
)

// Port returns the scenario's i-th port of its nodes' network, 0 to 4, for HostNetwork and OnPort.
func (s *Scenario) Port(i int) int32 {
	s.tb.Helper()
	if i < 0 || i >= portsPerBlock {
		s.tb.Fatalf("harness: a scenario has ports 0 to %d, not %d", portsPerBlock-1, i)
	}
	return portOf(s.namespace, i)
}

func portOf(scenario string, i int) int32 {
	return firstPort + portsPerBlock*int32(number(scenario)%portBlocks) + int32(i)
}

// probePort is the control port of the probes of a scenario that are at work at the same time: those of two targets have different ones.
func probePort(scenario, during string) int32 {
	return firstProbePort + int32(number(scenario+"/"+during)%probePorts)
}

func number(name string) uint32 {
	sum := fnv.New32a()
	sum.Write([]byte(name))
	return sum.Sum32()
}

// SocketPath is where the scenario's daemons may put a Unix socket on each of its nodes, for Socket and OnSocket.
func (s *Scenario) SocketPath() string { return "/run/rollcall/" + s.namespace + "/daemon.sock" }

// Target is what probes call on their node.
type Target struct{ network, address string }

// OnPort is a port of the node's network.
func OnPort(port int32) Target { return Target{"tcp", fmt.Sprintf("127.0.0.1:%d", port)} }

// OnSocket is a Unix socket at a path of the node.
func OnSocket(path string) Target { return Target{"unix", path} }

// String is network:address, as in a measurement.
func (t Target) String() string { return t.network + ":" + t.address }

// probePod is a probe, from this image, that calls the target on the node. It shares the node's network, for the target or to be reached by whoever reaches the node.
// Nothing about it resembles a daemon pod, and no taint drives it away.
func probePod(image, node string, target Target, port int32) *corev1.Pod {
	lifetime, grace, noToken, root := int64(probeLifetime), int64(1), false, int64(0)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-", Labels: map[string]string{"rollcall.dev/role": "probe"}},
		Spec: corev1.PodSpec{
			NodeName: node, HostNetwork: true, RestartPolicy: corev1.RestartPolicyNever,
			ActiveDeadlineSeconds: &lifetime, TerminationGracePeriodSeconds: &grace, AutomountServiceAccountToken: &noToken,
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: "probe", Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
				Args: []string{
					"-interval=" + probeInterval.String(), "-timeout=" + probeRequestTimeout.String(), fmt.Sprintf("-control=:%d", port),
					target.network, target.address,
				},
			}},
		},
	}
	if target.network == "unix" {
		const volume = "socket"
		folder, kind := path.Dir(target.address), corev1.HostPathDirectory
		pod.Spec.Volumes = []corev1.Volume{{
			Name: volume, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: folder, Type: &kind}},
		}}
		container := &pod.Spec.Containers[0]
		container.VolumeMounts = []corev1.VolumeMount{{Name: volume, MountPath: folder}}
		// The socket is root's.
		container.SecurityContext = &corev1.SecurityContext{RunAsUser: &root}
	}
	return pod
}
