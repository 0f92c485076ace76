package simulation

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// revisionActs are what somebody does to ControllerRevisions, and to the labels that tie pods to them.
func revisionActs() []act {
	return []act{
		{"somebody copies a revision", 2, copyRevision},
		{"somebody takes the label off a revision", 1, func(w *world, a, _ int) {
			if revisions := w.api.revisions(); len(revisions) > 0 {
				w.editRevision(revisions[a%len(revisions)], func(revision *appsv1.ControllerRevision) { delete(revision.Labels, plan.HashLabel) })
			}
		}},
		{"somebody releases a revision", 1, func(w *world, a, _ int) {
			if revisions := w.api.revisions(); len(revisions) > 0 {
				w.editRevision(revisions[a%len(revisions)], func(revision *appsv1.ControllerRevision) { revision.OwnerReferences = nil })
			}
		}},
	}
}

// copyRevision creates a revision of the same content as another, with a name, a label and a number of its own, as kube-controller-manager did that raced
// with itself. Every second one belongs to nobody.
func copyRevision(w *world, a, b int) {
	revisions := w.api.revisions()
	if len(revisions) == 0 {
		return
	}
	twin := revisions[a%len(revisions)].DeepCopy()
	label := fmt.Sprintf("copy%d", w.api.created)
	twin.Name, twin.ResourceVersion = daemonSetName+"-"+label, ""
	if twin.Labels == nil {
		twin.Labels = map[string]string{}
	}
	twin.Labels[plan.HashLabel] = label
	if b%5 == 4 {
		// What its pods carry can only be told by its name then.
		twin.Name = label
		delete(twin.Labels, plan.HashLabel)
	}
	twin.Revision = max(twin.Revision+int64(b%3)-1, 0)
	if b%2 == 0 {
		twin.OwnerReferences = nil
	}
	w.api.note(history.Stimulus{Act: history.CreateRevision, Kind: history.KindControllerRevision, Namespace: namespace, Name: twin.Name})
	// The name counts what was created, so no other has it.
	_ = w.api.create(history.KindControllerRevision, twin)
}

func (w *world) editRevision(revision *appsv1.ControllerRevision, edit func(*appsv1.ControllerRevision)) {
	w.api.note(history.Stimulus{
		Act: history.UpdateRevision, Kind: history.KindControllerRevision, Namespace: namespace, Name: revision.Name, UID: revision.UID,
	})
	// The edit cannot fail and the revision exists.
	_ = w.api.update(history.KindControllerRevision, revision.Name, func(object history.Object) error {
		edit(object.(*appsv1.ControllerRevision))
		return nil
	})
}
