package rollout_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestBystanders(t *testing.T) {
	j := rollout.Bystanders()
	agents := map[string]string{"app": "agent"}
	foreign := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "web-uid", Controller: new(bool)}
	*foreign.Controller = true
	// beside is a DaemonSet that is being updated, one of whose pods goes, with a stranger on the other node.
	beside := func(b *Builder, labels map[string]string, owners ...metav1.OwnerReference) (*DaemonSet, *Pod) {
		ds, pods := Running(b, 2)
		stranger := b.Stranger("stranger", NodeName(1), labels, owners...).Ready()
		b.After(Long)
		ds.Update("v2")
		pods[0].Terminating()
		return ds, stranger
	}
	tolerates := func(seconds *int64) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{{Key: "maintenance", Operator: corev1.TolerationOpExists, TolerationSeconds: seconds}}
		}
	}
	owner := func(ds *DaemonSet) []metav1.OwnerReference {
		return []metav1.OwnerReference{*metav1.NewControllerRef(ds.Object(), appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
	}
	Breaks(t, j,
		Tell("a pod of nobody's is deleted", func(b *Builder) {
			_, stranger := beside(b, nil)
			stranger.Terminating()
		}),
		Tell("a matching pod of somebody else's is deleted", func(b *Builder) {
			_, stranger := beside(b, agents, foreign)
			stranger.Terminating()
		}),
		Tell("a matching pod of nobody's vanishes", func(b *Builder) {
			_, stranger := beside(b, agents)
			stranger.Gone()
		}),
		Tell("a pod of somebody else's is relabelled", func(b *Builder) {
			_, stranger := beside(b, agents, foreign)
			stranger.Edit(func(pod *corev1.Pod) { pod.Labels[RevisionLabel] = "v2" })
		}),
		Tell("a pod of somebody else's is taken over", func(b *Builder) {
			ds, stranger := beside(b, agents, foreign)
			owners := owner(ds)
			stranger.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = owners })
		}),
		Tell("a pod is taken from its owner", func(b *Builder) {
			_, stranger := beside(b, agents, foreign)
			stranger.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = nil })
		}),
		Tell("a pod that tolerates its node's taint for good is deleted", func(b *Builder) {
			_, stranger := beside(b, agents)
			stranger.Edit(tolerates(nil))
			b.Node(NodeName(1)).Taint("maintenance", corev1.TaintEffectNoExecute)
			stranger.Terminating()
		}),
		Tell("its node was tainted long ago", func(b *Builder) {
			_, stranger := beside(b, agents)
			b.Node(NodeName(1)).Taint("maintenance", corev1.TaintEffectNoExecute).Edit(func(node *corev1.Node) { node.Spec.Taints = nil })
			b.After(judge.Lag)
			stranger.Terminating()
		}),
		Tell("a pod that does not match is adopted", func(b *Builder) {
			ds, stranger := beside(b, map[string]string{"app": "web"})
			owners := owner(ds)
			stranger.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = owners })
		}),
	)
	Keeps(t, j,
		Tell("it is left alone", func(b *Builder) { beside(b, agents, foreign) }),
		Tell("a matching orphan is adopted", func(b *Builder) {
			ds, stranger := beside(b, agents)
			owners := owner(ds)
			stranger.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = owners })
		}),
		Tell("a matching orphan is adopted and labelled in one request", func(b *Builder) {
			ds, stranger := beside(b, agents)
			owners := owner(ds)
			stranger.Edit(func(pod *corev1.Pod) {
				pod.OwnerReferences = owners
				metav1.SetMetaDataLabel(&pod.ObjectMeta, RevisionLabel, "v1")
			})
		}),
		Tell("the garbage collector deletes it with a DaemonSet that it names as an owner", func(b *Builder) {
			ds, stranger := beside(b, agents)
			owners := owner(ds)
			owners[0].Controller = nil
			stranger.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = owners })
			ds.Terminating()
			stranger.Terminating()
		}),
		Tell("its node makes it unready", func(b *Builder) {
			_, stranger := beside(b, agents)
			stranger.Unready()
		}),
		Tell("the API server copies the node's topology", func(b *Builder) {
			_, stranger := beside(b, agents)
			stranger.Edit(func(pod *corev1.Pod) { pod.Labels[corev1.LabelTopologyZone] = "a" })
		}),
		Tell("the harness deletes it", func(b *Builder) {
			_, stranger := beside(b, agents)
			b.Stimulus(history.DeletePod, stranger)
			stranger.Terminating().Gone()
		}),
		Tell("the harness labels it", func(b *Builder) {
			_, stranger := beside(b, agents)
			b.Stimulus(history.LabelPod, stranger)
			stranger.Edit(func(pod *corev1.Pod) { pod.Labels["app"] = "web" })
		}),
		Tell("its own controller scales down", func(b *Builder) {
			_, stranger := beside(b, agents, foreign)
			b.Stimulus(history.ScaleWorkload, Object("ReplicaSet", "web"))
			stranger.Terminating()
		}),
		Tell("the taint manager evicts it", func(b *Builder) {
			_, stranger := beside(b, agents)
			b.Node(NodeName(1)).Taint("maintenance", corev1.TaintEffectNoExecute)
			stranger.Terminating()
		}),
		Tell("the taint manager evicts it, having waited", func(b *Builder) {
			_, stranger := beside(b, agents)
			minute := int64(60)
			stranger.Edit(tolerates(&minute))
			b.Node(NodeName(1)).Taint("maintenance", corev1.TaintEffectNoExecute)
			b.After(time.Minute)
			stranger.Terminating()
		}),
		Tell("the taint manager evicted it just when the taint went", func(b *Builder) {
			_, stranger := beside(b, agents)
			b.Node(NodeName(1)).Taint("maintenance", corev1.TaintEffectNoExecute).Edit(func(node *corev1.Node) { node.Spec.Taints = nil })
			stranger.Terminating()
		}),
		Tell("its node is deleted", func(b *Builder) {
			_, stranger := beside(b, agents)
			b.Node(NodeName(1)).Leave()
			stranger.Terminating()
		}),
		Tell("it had ended", func(b *Builder) {
			_, stranger := beside(b, agents)
			stranger.Succeeded().Gone()
		}),
	)
	Ignores(t, j,
		Tell("there is no bystander", func(b *Builder) {
			ds, pods := Running(b, 2)
			ds.Update("v2")
			pods[0].Terminating()
		}),
		Tell("pods that a deleted DaemonSet left", func(b *Builder) {
			ds, pods := Running(b, 2)
			b.DaemonSet("other")
			ds.Gone()
			pods[0].Terminating()
		}),
		Tell("nothing happens", func(b *Builder) {
			Running(b, 2)
			b.Stranger("stranger", NodeName(1), agents).Ready()
			b.Stimulus(history.DeleteNode, Object(history.KindNode, "elsewhere"))
		}),
	)
}
