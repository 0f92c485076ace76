package matchers

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Written happens with every change of a DaemonSet, pod or ControllerRevision.
func Written() Event {
	return on("object written", func(_ *history.Cluster, change history.Change) bool {
		return change.Kind == history.KindDaemonSet || change.Kind == history.KindPod || change.Kind == history.KindControllerRevision
	})
}

// TemplateChanged happens when a DaemonSet's template is changed; not when it is created.
func TemplateChanged() Event {
	return daemonSetEvent("template changed", func(before, after *appsv1.DaemonSet) bool {
		return !equality.Semantic.DeepEqual(before.Spec.Template, after.Spec.Template)
	})
}

// StatusWritten happens when a DaemonSet's status is changed.
func StatusWritten() Event {
	return daemonSetEvent("status written", func(before, after *appsv1.DaemonSet) bool {
		return !equality.Semantic.DeepEqual(before.Status, after.Status)
	})
}

// Respecified happens when a DaemonSet gets another generation.
func Respecified() Event {
	return daemonSetEvent("spec changed", func(before, after *appsv1.DaemonSet) bool { return after.Generation > before.Generation })
}

func daemonSetEvent(text string, is func(before, after *appsv1.DaemonSet) bool) Event {
	return on(text, func(_ *history.Cluster, change history.Change) bool {
		after, ok := change.Object.(*appsv1.DaemonSet)
		before, existed := change.Before.(*appsv1.DaemonSet)
		return ok && existed && change.Type == watch.Modified && is(before, after)
	})
}

// RevisionCreated happens when a ControllerRevision comes into being, RevisionDeleted when one goes.
func RevisionCreated() Event { return objectEvent(history.KindControllerRevision, watch.Added) }

// RevisionDeleted happens when a ControllerRevision is deleted.
func RevisionDeleted() Event { return objectEvent(history.KindControllerRevision, watch.Deleted) }

// UnitedDeleted happens when a UnitedDaemonSet is gone.
func UnitedDeleted() Event { return objectEvent(history.KindUnitedDaemonSet, watch.Deleted) }

// DaemonSetCreated happens when a DaemonSet is created whose first container's image has the tag.
func DaemonSetCreated(tag string) Event {
	return on("DaemonSet of "+tag+" created", func(_ *history.Cluster, change history.Change) bool {
		ds, ok := change.Object.(*appsv1.DaemonSet)
		return ok && change.Type == watch.Added && history.HasTag(&ds.Spec.Template.Spec, tag)
	})
}

// RevisionRenumbered happens when a ControllerRevision gets another number.
func RevisionRenumbered() Event {
	return on("ControllerRevision renumbered", func(_ *history.Cluster, change history.Change) bool {
		after, ok := change.Object.(*appsv1.ControllerRevision)
		before, existed := change.Before.(*appsv1.ControllerRevision)
		return ok && existed && change.Type == watch.Modified && before.Revision != after.Revision
	})
}

func objectEvent(kind history.Kind, event watch.EventType) Event {
	return on(fmt.Sprintf("%s %s", kind, event), func(_ *history.Cluster, change history.Change) bool {
		return change.Kind == kind && change.Type == event
	})
}

// Marked happens where the scenario put the mark.
func Marked(mark history.Mark) Event {
	return on(fmt.Sprintf("mark %q", mark), func(_ *history.Cluster, change history.Change) bool { return change.Mark == mark })
}
