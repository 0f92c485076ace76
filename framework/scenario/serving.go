package scenario

import (
	"fmt"
	"path"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/fixtures/workload/settings"
)

// The edits below give the pods of a template something to serve, which two pods on a node can share: a client never finds nobody there while one
// takes over from the other. They need real nodes; simulated pods serve nothing.

// HostNetwork makes pods serve the data port in their node's network, without declaring it: pods of all revisions share it by SO_REUSEPORT, and no
// scheduler sees a conflict. The control port cannot be shared, so each revision that may run beside another on a node needs one of its own.
func HostNetwork(controlPort, dataPort int32) Edit {
	return edit(func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.HostNetwork = true
		setVariable(d, settings.ControlAddress, fmt.Sprintf(":%d", controlPort))
		setVariable(d, settings.DataAddress, fmt.Sprintf(":%d", dataPort))
		container(d).ReadinessProbe = readinessProbe(controlPort)
	}, "port %d of the host, steered by port %d", dataPort, controlPort)
}

// Socket makes pods serve a Unix socket at this path of their node and hand it over to one another. Its folder is made if need be.
func Socket(socketPath string) Edit {
	const volume = "socket"
	folder, root, kind := path.Dir(socketPath), int64(0), corev1.HostPathDirectoryOrCreate
	return edit(func(d *appsv1.DaemonSet) {
		setVariable(d, settings.Socket, socketPath)
		spec := &d.Spec.Template.Spec
		spec.Volumes = append(slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == volume }), corev1.Volume{
			Name: volume, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: folder, Type: &kind}},
		})
		container(d).VolumeMounts = []corev1.VolumeMount{{Name: volume, MountPath: folder}}
		// The folder is root's.
		container(d).SecurityContext = &corev1.SecurityContext{RunAsUser: &root}
	}, "the socket %s of the host", socketPath)
}

// setVariable sets a variable of the container's environment.
func setVariable(d *appsv1.DaemonSet, name, value string) {
	c := container(d)
	i := slices.IndexFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == name })
	if i < 0 {
		i, c.Env = len(c.Env), append(c.Env, corev1.EnvVar{Name: name})
	}
	c.Env[i].Value = value
}
