package simulation

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// ownerActs are what somebody does to the owners of pods and revisions.
func ownerActs() []act {
	return []act{
		{"a pod gets another owner", 3, onPod(history.LabelPod, func(w *world, pod *corev1.Pod) { w.own(history.KindPod, pod.Name, w.joinOwners) })},
		{"a pod has the DaemonSet as an owner, but not as its controller", 1, onPod(history.LabelPod, func(w *world, pod *corev1.Pod) { w.own(history.KindPod, pod.Name, noController) })},
		{"a pod of another controller has the DaemonSet as an owner", 1, func(w *world, a, _ int) {
			if nodes, ds := w.api.nodes(), w.api.daemonSet(); len(nodes) > 0 {
				pod := w.orphan(a)
				pod.OwnerReferences = noController(append(pod.OwnerReferences, *metav1.NewControllerRef(ds, plan.ControllerKind(ds))))
				pod.OwnerReferences = append(pod.OwnerReferences, otherControllers()[a%len(otherControllers())])
				w.createPod(pod, nodes[a%len(nodes)].Name)
			}
		}},
		{"a revision gets another owner", 3, onRevisionOwners((*world).joinOwners)},
		{"a revision has the DaemonSet as an owner, but not as its controller", 2, onRevisionOwners(func(_ *world, owners []metav1.OwnerReference) []metav1.OwnerReference {
			return noController(owners)
		})},
		{"a pod loses its owners while it ends", 1, onPod(history.HoldTermination, func(w *world, pod *corev1.Pod) {
			w.kubelets.hold(pod.UID, true)
			w.api.notePod(history.DeletePod, pod)
			deletePod(w, pod)
			w.api.notePod(history.LabelPod, pod)
			w.own(history.KindPod, pod.Name, func([]metav1.OwnerReference) []metav1.OwnerReference { return nil })
		})},
		{"the garbage collector stands still for two minutes", 1, func(w *world, _, _ int) { w.collector.idleUntil = w.clock.now.Add(2 * time.Minute) }},
		{"another controller takes a revision", 1, func(w *world, a, b int) {
			onRevisionOwners(func(*world, []metav1.OwnerReference) []metav1.OwnerReference {
				return otherControllers()[b%len(otherControllers()):][:1]
			})(w, a, b)
		}},
	}
}

// otherControllers are controllers that are not the DaemonSet; some have its name.
func otherControllers() []metav1.OwnerReference {
	return []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "somebody", UID: "somebody", Controller: ptr.To(true)},
		{APIVersion: "apps/v1", Kind: "StatefulSet", Name: daemonSetName, UID: "namesake", Controller: ptr.To(true)},
		{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "another", UID: "another", Controller: ptr.To(true)},
		{APIVersion: "apps.example.org/v1", Kind: "DaemonSet", Name: daemonSetName, UID: "namesake-of-another-api", Controller: ptr.To(true)},
	}
}

// joinOwners adds an owner that controls nothing, before the others or after them.
func (w *world) joinOwners(owners []metav1.OwnerReference) []metav1.OwnerReference {
	w.owners++
	other := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "settings", UID: joinedOwner}
	if slices.ContainsFunc(owners, func(owner metav1.OwnerReference) bool { return owner.UID == other.UID }) {
		return owners
	}
	return slices.Insert(owners, w.owners%2*len(owners), other)
}

// joinedOwner is the UID of the owner that joinOwners adds.
const joinedOwner = "settings"

// noController makes owners of the controllers among them.
func noController(owners []metav1.OwnerReference) []metav1.OwnerReference {
	for i := range owners {
		owners[i].Controller = nil
	}
	return owners
}

// own changes the owners of an object that exists.
func (w *world) own(kind history.Kind, name string, change func([]metav1.OwnerReference) []metav1.OwnerReference) {
	// The edit cannot fail and the object exists.
	_ = w.api.update(kind, name, func(object history.Object) error {
		object.SetOwnerReferences(change(object.GetOwnerReferences()))
		return nil
	})
}

// onRevisionOwners is an act on the owners of one of the revisions.
func onRevisionOwners(change func(*world, []metav1.OwnerReference) []metav1.OwnerReference) func(*world, int, int) {
	return func(w *world, a, _ int) {
		if revisions := w.api.revisions(); len(revisions) > 0 {
			w.editRevision(revisions[a%len(revisions)], func(revision *appsv1.ControllerRevision) {
				revision.OwnerReferences = change(w, revision.OwnerReferences)
			})
		}
	}
}

// ownersKept checks that nothing but the garbage collector takes an owner from an object that controls nothing, and that nobody but the harness changes a
// revision of another controller.
func (w *world) ownersKept() error {
	joined := func(object history.Object) bool {
		return slices.ContainsFunc(object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owner.UID == joinedOwner })
	}
	had, foreign := map[types.UID]bool{}, map[types.UID]bool{}
	for i, entry := range w.api.entries {
		object := entry.Object
		if object == nil {
			continue
		}
		uid, stimulus := object.GetUID(), w.api.entries[max(i-1, 0)].Stimulus
		switch byHarness := stimulus != nil && stimulus.Name == object.GetName(); {
		case byHarness:
		case had[uid] && !joined(object):
			return broken("TARGET-003", "what others have written of the owners of an object stays: got owners %v of %s", object.GetOwnerReferences(), object.GetName())
		case foreign[uid]:
			return broken("TARGET-003", "what belongs to another controller is left alone: got %s %s", entry.Type, object.GetName())
		}
		had[uid] = joined(object)
		foreign[uid] = entry.Kind == history.KindControllerRevision && slices.ContainsFunc(otherControllers(), func(other metav1.OwnerReference) bool {
			owner := metav1.GetControllerOfNoCopy(object)
			return owner != nil && owner.UID == other.UID
		})
	}
	return nil
}
