package simulation

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// recreate deletes the DaemonSet; its pods and revisions are garbage then, and go while those of its successor come.
func recreate(w *world, _, _ int) {
	w.deleteDaemonSet()
	w.deploy()
}

// adoptAll deletes the DaemonSet but lets its pods and revisions live as orphans, as `kubectl delete --cascade=orphan` does.
func adoptAll(w *world, _, _ int) {
	ds := w.api.daemonSet()
	abandon := func(kind history.Kind, object history.Object) {
		// The edit cannot fail and the object exists.
		_ = w.api.update(kind, object.GetName(), func(object history.Object) error {
			object.SetOwnerReferences(slices.DeleteFunc(object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owner.UID == ds.UID }))
			return nil
		})
	}
	w.deleteDaemonSet()
	for _, pod := range w.api.pods() {
		abandon(history.KindPod, pod)
	}
	for _, revision := range w.api.revisions() {
		abandon(history.KindControllerRevision, revision)
	}
	w.deploy()
}

func (w *world) deleteDaemonSet() {
	ds := w.api.daemonSet()
	w.api.note(history.Stimulus{Act: history.DeleteDaemonSet, Kind: history.KindDaemonSet, Namespace: namespace, Name: ds.Name, UID: ds.UID})
	w.api.remove(history.KindDaemonSet, ds.Name)
}

// deleteInForeground deletes the DaemonSet, which stays until what it owns is gone. Then somebody creates it again, at once.
func deleteInForeground(w *world, _, _ int) {
	ds := w.api.daemonSet()
	w.api.note(history.Stimulus{Act: history.DeleteDaemonSet, Kind: history.KindDaemonSet, Namespace: namespace, Name: ds.Name, UID: ds.UID})
	now := metav1.NewTime(w.clock.now.Truncate(time.Second))
	// The edit cannot fail and the DaemonSet exists.
	_ = w.api.update(history.KindDaemonSet, ds.Name, func(object history.Object) error {
		if object.GetDeletionTimestamp() == nil {
			object.SetDeletionTimestamp(&now)
			object.SetGeneration(object.GetGeneration() + 1)
			object.SetFinalizers(append(object.GetFinalizers(), metav1.FinalizerDeleteDependents))
		}
		return nil
	})
}
