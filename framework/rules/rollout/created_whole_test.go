package rollout_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestCreatedWhole(t *testing.T) {
	subdomain := func(name string) Option {
		return func(object *appsv1.DaemonSet) { object.Spec.Template.Spec.Subdomain = name }
	}
	grace := func(seconds int64) Option {
		return func(object *appsv1.DaemonSet) { object.Spec.Template.Spec.TerminationGracePeriodSeconds = &seconds }
	}
	with := func(name string) func(*corev1.Pod) { return func(pod *corev1.Pod) { pod.Spec.Subdomain = name } }
	port := func(object *appsv1.DaemonSet) {
		object.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 53, Protocol: corev1.ProtocolUDP}}
	}
	copied := func(object *appsv1.DaemonSet) {
		object.Spec.Template.Labels[RevisionLabel], object.Spec.Template.Labels[history.TemplateGenerationLabel] = "another", "7"
	}
	// create has the implementation create a pod that is stored with the subdomain, and so sent.
	create := func(b *Builder, ds *DaemonSet, name string) {
		ds.PodOf("v1", "a", NodeName(0), with(name))
		b.By(history.Implementation, "create")
	}
	Breaks(t, rollout.CreatedWhole(), Tell("a pod lacks a part of its template", func(b *Builder) {
		create(b, b.Nodes(1).DaemonSet("agent", subdomain("agents")), "")
	}), Tell("a pod lacks a part by which pods are told to be of the template", func(b *Builder) {
		ds := b.Nodes(1).DaemonSet("agent", port)
		ds.Revision("v1", 1)
		ds.PodOf("v1", "a", NodeName(0), func(pod *corev1.Pod) { pod.Spec.Containers[0].Ports = nil })
		b.By(history.Implementation, "create")
	}), Tell("a pod was sent without it, and admission changed it", func(b *Builder) {
		create(b, b.Nodes(1).DaemonSet("agent", subdomain("agents")), "others")
		b.Asked(with(""))
	}), Tell("admission changed another part", func(b *Builder) {
		create(b, b.Nodes(1).DaemonSet("agent", subdomain("agents"), grace(7)), "")
		b.Asked(func(pod *corev1.Pod) { pod.Spec.TerminationGracePeriodSeconds = ptr.To[int64](7) })
	}))
	Keeps(t, rollout.CreatedWhole(), Tell("a pod has all of it", func(b *Builder) {
		create(b, b.Nodes(1).DaemonSet("agent", subdomain("agents")), "agents")
	}), Tell("a pod has other values of the labels that are the controller's", func(b *Builder) {
		b.Nodes(1).DaemonSet("agent", copied).PodOf("v1", "a", NodeName(0), func(pod *corev1.Pod) { pod.Labels[history.TemplateGenerationLabel] = "1" })
		b.By(history.Implementation, "create")
	}), Tell("a pod was sent with all of it, and admission changed it", func(b *Builder) {
		create(b, b.Nodes(1).DaemonSet("agent", subdomain("agents")), "others")
		b.Asked(with("agents"))
	}), Tell("a pod has all of a template that differs in what tells no pods apart", func(b *Builder) {
		ds := b.Nodes(1).DaemonSet("agent", subdomain("agents"))
		ds.Set(subdomain("daemons"))
		create(b, ds, "agents")
	}))
	Ignores(t, rollout.CreatedWhole(), Tell("nobody knows who left it out", func(b *Builder) {
		b.Nodes(1).DaemonSet("agent", subdomain("agents")).PodOf("v1", "a", NodeName(0), with("")).Gone()
		b.Nodes(1).DaemonSet("agent", subdomain("agents")).PodOf("v1", "b", NodeName(0), with("agents"))
	}))
}
