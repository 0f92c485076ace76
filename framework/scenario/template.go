package scenario

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/fixtures/workload/settings"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

const (
	// controlPort is where daemon pods are asked whether they are ready, and steered, unless HostNetwork says otherwise.
	controlPort = 8080
	// gracePeriod in seconds is longer than any spec: a held pod stays until it is released.
	gracePeriod = 300
	// probeTimeout in seconds: a machine under load must not make pods unready.
	probeTimeout = 10
)

// podSpec is that of every daemon pod, on simulated nodes and real ones alike.
func (e Environment) podSpec() corev1.PodSpec {
	grace, noToken, share := int64(gracePeriod), false, true
	return corev1.PodSpec{
		TerminationGracePeriodSeconds: &grace,
		// The first process of a namespace gets no signal that it has no handler for yet: a container stopped just after its start would stay for the grace period.
		ShareProcessNamespace:        &share,
		AutomountServiceAccountToken: &noToken,
		Tolerations:                  e.SimulatedNodes.Tolerations(),
		Containers: []corev1.Container{{
			Name:  history.DaemonContainer,
			Image: e.Images.Daemon() + ":v1",
			// The nodes have the image, or are not meant to.
			ImagePullPolicy: corev1.PullIfNotPresent,
			Env:             environment(),
			ReadinessProbe:  readinessProbe(controlPort),
		}},
	}
}

// Tolerating has the template tolerate these taints, and no others but that of simulated nodes.
func Tolerating(tolerations ...corev1.Toleration) Edit {
	return edit(func(d *appsv1.DaemonSet) {
		spec := &d.Spec.Template.Spec
		spec.Tolerations = append(slices.DeleteFunc(slices.Clone(spec.Tolerations), func(t corev1.Toleration) bool { return t.Key != kwok.ForeignLabel }), tolerations...)
	}, "other tolerations")
}

// sidecarPort is where the second container is asked whether it is ready.
const sidecarPort = controlPort + 1

// Sidecar gives pods a second container, "sidecar", that runs the same image as the first did when it was added.
func Sidecar() Edit {
	return edit(func(d *appsv1.DaemonSet) {
		first := container(d)
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, corev1.Container{
			Name: "sidecar", Image: first.Image, ImagePullPolicy: first.ImagePullPolicy,
			Env:            []corev1.EnvVar{{Name: settings.ControlAddress, Value: fmt.Sprintf(":%d", sidecarPort)}},
			ReadinessProbe: readinessProbe(sidecarPort),
		})
	}, "a second container")
}

// SidecarImage sets the tag of the second container's image.
func SidecarImage(tag string) Edit {
	return edit(func(d *appsv1.DaemonSet) { setTag(&d.Spec.Template.Spec.Containers[1], tag) }, "image %s of the second container", tag)
}

// InitContainer gives pods an init container, "prepare", that runs the same image as the first container did when it was added, and ends at once.
func InitContainer() Edit {
	return edit(func(d *appsv1.DaemonSet) {
		first := container(d)
		d.Spec.Template.Spec.InitContainers = append(d.Spec.Template.Spec.InitContainers, corev1.Container{
			Name: "prepare", Image: first.Image, ImagePullPolicy: first.ImagePullPolicy,
			Env: []corev1.EnvVar{{Name: settings.ExitAfter, Value: "0s"}, {Name: settings.ExitCode, Value: "0"}},
		})
	}, "an init container")
}

// InitImage sets the tag of the init container's image.
func InitImage(tag string) Edit {
	return edit(func(d *appsv1.DaemonSet) { setTag(&d.Spec.Template.Spec.InitContainers[0], tag) }, "image %s of the init container", tag)
}

// environment tells the workload server who it is and what the pod's annotations say. An annotation that is not there makes an empty variable,
// which the server takes for unset.
func environment() []corev1.EnvVar {
	annotation := func(key string) string { return fmt.Sprintf("metadata.annotations['%s']", key) }
	return []corev1.EnvVar{
		downward(settings.Pod, "metadata.name"),
		downward(settings.Namespace, "metadata.namespace"),
		downward(settings.UID, "metadata.uid"),
		downward(settings.Node, "spec.nodeName"),
		downward(settings.Ready, annotation(stages.Readiness)),
		downward(settings.StartDelay, annotation(stages.StartDelay)),
		downward(settings.Termination, annotation(stages.Termination)),
		downward(settings.TerminationDuration, annotation(stages.DrainFor)),
		downward(settings.ExitAfter, annotation(stages.ExitAfter)),
		{Name: settings.ExitCode, Value: "1"},
	}
}

func downward(variable, field string) corev1.EnvVar {
	// The version is what the API server would fill in: a template must equal what comes of it.
	return corev1.EnvVar{Name: variable, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: field}}}
}

// readinessProbe shows what the server on that control port says within a second or so.
func readinessProbe(port int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/readyz", Port: intstr.FromInt32(port), Scheme: corev1.URISchemeHTTP,
		}},
		PeriodSeconds: 1, TimeoutSeconds: probeTimeout, SuccessThreshold: 1, FailureThreshold: 1,
	}
}
