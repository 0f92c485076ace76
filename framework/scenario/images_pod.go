package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/fixtures/workload/settings"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
)

// ImagesPod is a pod that becomes Ready on a node that has, or pulls, all images that scenarios run, and can run them: its containers serve, answer their
// kubelet, and call each other. Each daemon has its control port beside the others', the first one at ImagesPodPort.
func ImagesPod(images daemonimage.Place) corev1.PodSpec {
	const dataPort, probePort = ImagesPodPort + 100, ImagesPodPort + 101
	grace, noToken := int64(1), false
	spec := corev1.PodSpec{TerminationGracePeriodSeconds: &grace, AutomountServiceAccountToken: &noToken, RestartPolicy: corev1.RestartPolicyNever}
	add := func(name, image string, port int32, c corev1.Container) {
		c.Name, c.Image, c.ImagePullPolicy = name, image, corev1.PullIfNotPresent
		c.ReadinessProbe = readinessProbe(port)
		spec.Containers = append(spec.Containers, c)
	}
	for i, tag := range daemonimage.Tags() {
		port := ImagesPodPort + int32(i)
		env := []corev1.EnvVar{{Name: settings.ControlAddress, Value: fmt.Sprintf(":%d", port)}}
		if i == 0 {
			env = append(env, corev1.EnvVar{Name: settings.DataAddress, Value: fmt.Sprintf(":%d", dataPort)})
		}
		add("daemon-"+tag, images.Daemon()+":"+tag, port, corev1.Container{Env: env})
	}
	add("probe", images.Probe(), probePort, corev1.Container{Args: []string{
		"-interval=" + probeInterval.String(), fmt.Sprintf("-control=:%d", probePort), "tcp", fmt.Sprintf("127.0.0.1:%d", dataPort),
	}})
	// A probe has no readiness of its own; it has a result.
	spec.Containers[len(spec.Containers)-1].ReadinessProbe.HTTPGet.Path = "/result"
	return spec
}

// ImagesPodPort is a port of ImagesPod that answers GET /readyz.
const ImagesPodPort = controlPort
