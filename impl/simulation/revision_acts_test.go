package simulation

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		{"somebody creates a revision that cannot be read", 2, createUnreadable},
		// These are for quiet times: a rollout under way may lose the history that it goes by, and no rule says what becomes of it.
		{"somebody takes all labels off a revision", 0, func(w *world, a, _ int) {
			if revisions := w.api.revisions(); len(revisions) > 0 {
				w.editRevision(revisions[a%len(revisions)], func(revision *appsv1.ControllerRevision) { revision.Labels = nil })
			}
		}},
		{"somebody deletes a revision, which is held for a while", 0, func(w *world, a, _ int) { w.holdRevision(a) }},
	}
}

// holder is the finalizer that holds revisions.
const holder = "example.org/hold"

// holdRevision deletes a revision that a finalizer holds for 20 seconds.
func (w *world) holdRevision(a int) {
	revisions := w.api.revisions()
	if len(revisions) == 0 {
		return
	}
	name, now := revisions[a%len(revisions)].Name, metav1.NewTime(w.clock.now.Truncate(time.Second))
	w.onRevision(history.DeleteRevision, revisions[a%len(revisions)], func(revision *appsv1.ControllerRevision) {
		revision.DeletionTimestamp, revision.Finalizers = &now, []string{holder}
	})
	w.clock.after(20*time.Second, func() {
		if revision := lookUp[*appsv1.ControllerRevision](w.api.objects, history.KindControllerRevision, name); revision != nil && revision.DeletionTimestamp != nil {
			w.editRevision(revision, func(revision *appsv1.ControllerRevision) { revision.Finalizers = nil })
		}
	})
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
	twin.DeletionTimestamp, twin.Finalizers = nil, nil
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

// createUnreadable creates a revision that is no patch of a template, be it the DaemonSet's or nobody's.
func createUnreadable(w *world, a, b int) {
	revision, err := plan.NewRevision(w.api.daemonSet(), int64(b))
	if err != nil {
		panic(err)
	}
	label := fmt.Sprintf("unreadable%d", w.api.created)
	revision.Name, revision.Labels[plan.HashLabel] = daemonSetName+"-"+label, label
	data := []string{
		`{"spec":{"template":"none"}}`, `{"spec":{"template":{"spec":{"containers":{"name":"daemon"}}}}}`, `{"spec":{}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","data":{"image":"daemon:v1"}}`,
	}
	revision.Data.Raw = []byte(data[a%len(data)])
	if a/len(data)%2 == 0 {
		revision.OwnerReferences = nil
	}
	w.api.note(history.Stimulus{Act: history.CreateRevision, Kind: history.KindControllerRevision, Namespace: namespace, Name: revision.Name})
	// The name counts what was created, so no other has it.
	_ = w.api.create(history.KindControllerRevision, revision)
}

func (w *world) editRevision(revision *appsv1.ControllerRevision, edit func(*appsv1.ControllerRevision)) {
	w.onRevision(history.UpdateRevision, revision, edit)
}

func (w *world) onRevision(act history.Act, revision *appsv1.ControllerRevision, edit func(*appsv1.ControllerRevision)) {
	w.api.note(history.Stimulus{
		Act: act, Kind: history.KindControllerRevision, Namespace: namespace, Name: revision.Name, UID: revision.UID,
	})
	// The edit cannot fail and the revision exists.
	_ = w.api.update(history.KindControllerRevision, revision.Name, func(object history.Object) error {
		edit(object.(*appsv1.ControllerRevision))
		return nil
	})
}
