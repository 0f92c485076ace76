package api

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// whole is the spec of a template with many parts.
func whole() {
	spec.It("makes pods with every part of the template, whatever they are made for",
		spec.Decides("API-023"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), everyPart())
			c.Require(ctx, "the rollout with maxUnavailable ends", RolledOut(c.Update(ctx, daemonSet, Image("v2"))))
			daemonSet = c.Update(ctx, daemonSet, MaxSurge("1"), Image("v3"))
			c.Require(ctx, "the rollout with maxSurge ends", RolledOut(daemonSet))
			c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.AddNodes(ctx, 1)
			c.Require(ctx, "pods are there again, and on the node that joined", Steady(daemonSet))
			daemonSet = c.Update(ctx, daemonSet, OnDelete(), Image("v4"))
			c.DeletePod(ctx, c.LivePodOn(ctx, daemonSet, nodes[1]), 0)
			c.Require(ctx, "an updated pod is in the place of that which was deleted", UpdatedOn(1, daemonSet))
		},
		func(j *spec.Checks) {
			for _, version := range []string{"v2", "v3", "v4"} {
				j.Given(AtLeast(1, PodCreated(OfVersion(version))))
			}
		}, spec.SimulatedNodes{})
}

// everyPart gives the template parts of many kinds: of the pod, of its container, and of what both share.
func everyPart() Edit {
	return set("many parts", func(d *appsv1.DaemonSet) {
		template := &d.Spec.Template
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, "example.org/part", "annotation")
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, "kubectl.kubernetes.io/restartedAt", "2026-01-02T03:04:05Z")
		// The map may be shared with the selector.
		template.Labels = map[string]string{"example.org/part": "label"}
		for key, value := range d.Spec.Selector.MatchLabels {
			template.Labels[key] = value
		}
		partsOfPod(&template.Spec)
		partsOfContainer(&template.Spec.Containers[0])
	})
}

func partsOfPod(pod *corev1.PodSpec) {
	elsewhere := corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "another"}}}
	pod.Volumes = []corev1.Volume{
		{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}},
		{Name: "settings", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}, Optional: ptr.To(true),
		}}},
	}
	pod.InitContainers = []corev1.Container{{Name: "prepare", Image: pod.Containers[0].Image, Args: []string{"prepare"}}}
	pod.TerminationGracePeriodSeconds = ptr.To[int64](3)
	pod.DNSPolicy, pod.DNSConfig = corev1.DNSNone, &corev1.PodDNSConfig{Nameservers: []string{"192.0.2.1"}}
	pod.HostAliases = []corev1.HostAlias{{IP: "192.0.2.2", Hostnames: []string{"gateway"}}}
	pod.Hostname, pod.Subdomain = "agent", "agents"
	pod.ShareProcessNamespace, pod.EnableServiceLinks = ptr.To(true), ptr.To(false)
	pod.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "mirror"}}
	pod.PriorityClassName = "system-node-critical"
	pod.SecurityContext = &corev1.PodSecurityContext{RunAsUser: ptr.To[int64](1000), FSGroup: ptr.To[int64](2000)}
	pod.Tolerations = append(pod.Tolerations, corev1.Toleration{Key: "example.org/part", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	pod.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{elsewhere}}}
	pod.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: elsewhere.LabelSelector,
	}}
}

func partsOfContainer(container *corev1.Container) {
	container.WorkingDir, container.TerminationMessagePolicy = "/tmp", corev1.TerminationMessageFallbackToLogsOnError
	container.Env = append(container.Env,
		corev1.EnvVar{Name: "PART", Value: "environment"},
		corev1.EnvVar{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}})
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: "scratch", MountPath: "/scratch"}, corev1.VolumeMount{Name: "settings", MountPath: "/settings", ReadOnly: true})
	container.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")}
	// One number for two protocols, as name servers have it.
	container.Ports = append(container.Ports,
		corev1.ContainerPort{Name: "part", ContainerPort: 9999, Protocol: corev1.ProtocolTCP},
		corev1.ContainerPort{Name: "part-udp", ContainerPort: 9999, Protocol: corev1.ProtocolUDP})
	container.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 1}}}
	container.LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}, PeriodSeconds: 30}
	container.SecurityContext = &corev1.SecurityContext{ReadOnlyRootFilesystem: ptr.To(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
}
