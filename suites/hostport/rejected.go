package hostport

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// rejected are the specs of requests that would have a DaemonSet stored with both. The recording has the answers, so a refusal is no error here.
func rejected() {
	spec.It("rejects a new DaemonSet with maxSurge and a host port of a container, an init container, a sidecar or the host's network",
		spec.Decides("HOSTPORT-001", "HOSTPORT-004", "HOSTPORT-006"),
		func(ctx context.Context, c *spec.Case) {
			for _, with := range []struct {
				name string
				edit Edit
			}{
				{"container", rollouts.HostPort(port)}, {"second", inAnotherContainer()}, {"init", inInitContainer(nil)}, {"sidecar", inInitContainer(&always)},
				{"network", onHostNetwork(port)}, {"datagrams", ofDatagrams()}, {"init-network", initOnHostNetwork()},
			} {
				_, _ = c.TryCreate(ctx, c.NewDaemonSet(with.name, MaxSurge("1"), with.edit))
			}
			_, _ = c.TryCreate(ctx, c.NewDaemonSet("percentage", MaxSurge("25%"), rollouts.HostPort(port)))
		},
		func(j *spec.Checks) {
			for _, name := range []string{"container", "second", "percentage", "datagrams"} {
				j.Decide("HOSTPORT-001", refused(name, history.CreateDaemonSet))
			}
			j.Decide("HOSTPORT-004", refused("network", history.CreateDaemonSet), refused("init-network", history.CreateDaemonSet))
			j.Decide("HOSTPORT-006", refused("init", history.CreateDaemonSet), refused("sidecar", history.CreateDaemonSet))
		}, spec.MainPath{})

	spec.It("rejects an update that gives a DaemonSet with a host port maxSurge, or one with maxSurge a host port",
		spec.Decides("HOSTPORT-002", "HOSTPORT-003", "HOSTPORT-004", "HOSTPORT-006"),
		func(ctx context.Context, c *spec.Case) {
			for _, stored := range []struct {
				name       string
				has, gains Edit
			}{
				{"has-port", rollouts.HostPort(port), MaxSurge("1")},
				{"has-zero-percent", withoutSurge(rollouts.HostPort(port)), MaxSurge("25%")},
				{"on-network", onHostNetwork(port), MaxSurge("1")},
				{"on-delete", onDelete(rollouts.HostPort(port)), MaxSurge("1")},
				{"has-surge", MaxSurge("1"), rollouts.HostPort(port)},
				{"to-network", MaxSurge("1"), onHostNetwork(port)},
				{"gets-sidecar", MaxSurge("1"), inInitContainer(&always)},
			} {
				if daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet(stored.name, MaxUnavailable("1"), stored.has)); err == nil {
					_, _ = c.TryUpdate(ctx, daemonSet, stored.gains)
				}
			}
		},
		func(j *spec.Checks) {
			for _, name := range []string{"has-port", "has-zero-percent", "on-delete", "on-network", "has-surge", "to-network", "gets-sidecar"} {
				j.Given(Accepted("either by itself", Answered(history.CreateDaemonSet, name)))
			}
			j.Decide("HOSTPORT-002", refused("has-port", history.UpdateDaemonSet), refused("has-zero-percent", history.UpdateDaemonSet), refused("on-delete", history.UpdateDaemonSet))
			j.Decide("HOSTPORT-003", refused("has-surge", history.UpdateDaemonSet))
			j.Decide("HOSTPORT-004", refused("on-network", history.UpdateDaemonSet), refused("to-network", history.UpdateDaemonSet))
			j.Decide("HOSTPORT-006", refused("gets-sidecar", history.UpdateDaemonSet))
		})
}

// refused asks that the request for the DaemonSet of that name was rejected with an error that names one of the fields that do not go together.
func refused(name string, act history.Act) Matcher { return refusal(Answered(act, name)) }

// refusal asks the same of these answers.
func refusal(answered Event) Matcher {
	return OneOf(
		Rejected("maxSurge with a host port", "maxSurge", answered),
		Rejected("maxSurge with a host port", "hostPort", answered),
		// Ports on the host's network are host ports.
		Rejected("maxSurge with a host port", "hostNetwork", answered))
}

var always = corev1.ContainerRestartPolicyAlways

func hostPorts() []corev1.ContainerPort {
	return []corev1.ContainerPort{{ContainerPort: port, HostPort: port}}
}

// onDelete is the edit with the strategy OnDelete.
func onDelete(edit Edit) Edit {
	return Edit{Says: "strategy OnDelete, " + edit.Says, Apply: func(d *appsv1.DaemonSet) {
		edit.Apply(d)
		OnDelete().Apply(d)
	}}
}

// withoutSurge is the edit with no surge at all, as a percentage.
func withoutSurge(edit Edit) Edit {
	return Edit{Says: "maxSurge 0%, " + edit.Says, Apply: func(d *appsv1.DaemonSet) {
		edit.Apply(d)
		rollouts.ZeroPercent().Apply(d)
	}}
}

// inAnotherContainer declares the port for a second container.
func inAnotherContainer() Edit {
	return Edit{Says: "a second container with a host port", Apply: func(d *appsv1.DaemonSet) {
		pod := &d.Spec.Template.Spec
		pod.Containers = append(pod.Containers, corev1.Container{Name: "second", Image: pod.Containers[0].Image, Ports: hostPorts()})
	}}
}

// inInitContainer declares the port for an init container, which is a sidecar if it is always restarted.
func inInitContainer(restarted *corev1.ContainerRestartPolicy) Edit {
	return Edit{Says: "an init container with a host port", Apply: func(d *appsv1.DaemonSet) {
		pod := &d.Spec.Template.Spec
		pod.InitContainers = append(pod.InitContainers,
			corev1.Container{Name: "first", Image: pod.Containers[0].Image, RestartPolicy: restarted, Ports: hostPorts()})
	}}
}

// ofDatagrams declares the port for UDP alone.
func ofDatagrams() Edit {
	return Edit{Says: "a container with a host port for UDP", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port, HostPort: port, Protocol: corev1.ProtocolUDP}}
	}}
}

// initOnHostNetwork declares a port of an init container alone, of a pod on the node's network.
func initOnHostNetwork() Edit {
	return Edit{Says: "a port of an init container on the host's network", Apply: func(d *appsv1.DaemonSet) {
		inInitContainer(nil).Apply(d)
		d.Spec.Template.Spec.HostNetwork = true
		d.Spec.Template.Spec.InitContainers[0].Ports[0].HostPort = 0
	}}
}

// onHostNetwork declares a port of the container alone, which is the node's since the pod is on its network.
func onHostNetwork(port int32) Edit {
	return Edit{Says: "a port on the host's network", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.HostNetwork = true
		d.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port}}
	}}
}
