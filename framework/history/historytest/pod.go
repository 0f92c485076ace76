package historytest

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Pod is a pod of the history.
type Pod struct {
	b      *Builder
	object *corev1.Pod
}

// Pod creates a pod of the version in force on the node, as the implementation does.
func (d *DaemonSet) Pod(name, node string) *Pod {
	return d.PodOf(d.VersionInForce(), name, node)
}

// VersionInForce is the version last given to Update.
func (d *DaemonSet) VersionInForce() string {
	image := d.object.Spec.Template.Spec.Containers[0].Image
	for i := len(image) - 1; i >= 0; i-- {
		if image[i] == ':' {
			return image[i+1:]
		}
	}
	return ""
}

// PodOf creates a pod of a version on the node, edited before it is created.
func (d *DaemonSet) PodOf(version, name, node string, edits ...func(*corev1.Pod)) *Pod {
	holder := d.object.DeepCopy()
	Version(version)(holder)
	object := &corev1.Pod{ObjectMeta: d.b.meta(history.KindPod, name), Spec: holder.Spec.Template.Spec}
	object.Labels = holder.Spec.Template.Labels
	object.Annotations = holder.Spec.Template.Annotations
	metav1.SetMetaDataLabel(&object.ObjectMeta, RevisionLabel, version)
	object.OwnerReferences = d.owner()
	for _, edit := range edits {
		edit(object)
	}
	return d.b.create(object, node)
}

// Stranger creates a pod on the node that belongs to nobody, or to the owner.
func (b *Builder) Stranger(name, node string, labels map[string]string, owners ...metav1.OwnerReference) *Pod {
	object := &corev1.Pod{ObjectMeta: b.meta(history.KindPod, name)}
	object.Labels, object.OwnerReferences = labels, owners
	object.Spec.Containers = []corev1.Container{{Name: "stranger", Image: "registry.example/stranger:v1"}}
	return b.create(object, node)
}

func (b *Builder) create(object *corev1.Pod, node string) *Pod {
	object.Spec.NodeName = node
	object.Status.Phase = corev1.PodPending
	pod := &Pod{b: b, object: object}
	b.event(history.KindPod, watch.Added, object)
	return pod
}

// Edit changes the pod.
func (p *Pod) Edit(edit func(*corev1.Pod)) *Pod {
	edit(p.object)
	p.b.event(history.KindPod, watch.Modified, p.object)
	return p
}

// Ready makes the pod running and ready.
func (p *Pod) Ready() *Pod { return p.ready(corev1.ConditionTrue, p.b.now) }

// ReadySince makes the pod running and ready, its condition claiming another transition time.
func (p *Pod) ReadySince(since time.Time) *Pod { return p.ready(corev1.ConditionTrue, since) }

// Unready makes the pod running and not ready.
func (p *Pod) Unready() *Pod { return p.ready(corev1.ConditionFalse, p.b.now) }

func (p *Pod) ready(status corev1.ConditionStatus, since time.Time) *Pod {
	return p.Edit(func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(since.Truncate(time.Second)),
		}}
	})
}

// Failed ends the pod in that phase.
func (p *Pod) Failed() *Pod { return p.ended(corev1.PodFailed) }

// Succeeded ends the pod in that phase.
func (p *Pod) Succeeded() *Pod { return p.ended(corev1.PodSucceeded) }

func (p *Pod) ended(phase corev1.PodPhase) *Pod {
	return p.Edit(func(pod *corev1.Pod) {
		pod.Status.Phase = phase
		pod.Status.Conditions = nil
	})
}

// Terminating gives the pod a deletion timestamp: somebody deleted it.
func (p *Pod) Terminating() *Pod {
	return p.Edit(func(pod *corev1.Pod) {
		now := metav1.NewTime(p.b.now.Add(30 * time.Second).Truncate(time.Second))
		pod.DeletionTimestamp = &now
	})
}

// Gone removes the pod; without Terminating before, it was deleted at once.
func (p *Pod) Gone() { p.b.event(history.KindPod, watch.Deleted, p.object) }

// Object returns a copy of the pod as it is now.
func (p *Pod) Object() *corev1.Pod { return p.object.DeepCopy() }

func (p *Pod) subject() history.Stimulus {
	return history.Stimulus{
		Kind: history.KindPod, Namespace: p.object.Namespace, Name: p.object.Name, UID: p.object.UID, Node: history.NodeOf(p.object),
	}
}
