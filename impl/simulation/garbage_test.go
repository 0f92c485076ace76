package simulation

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// garbageCollector removes what has lost its node or its owners, as two controllers of Kubernetes do.
type garbageCollector struct {
	clock  *clock
	api    *apiServer
	chance chance
	// collected is what follows when it is done with a DaemonSet that was deleted in the foreground, at the same instant.
	collected func()
	// idleUntil is until when it stands still.
	idleUntil time.Time
}

func newGarbageCollector(clock *clock, api *apiServer, chance chance) *garbageCollector {
	g := &garbageCollector{clock: clock, api: api, chance: chance}
	api.watchers = append(api.watchers, g.watch)
	return g
}

func (g *garbageCollector) watch(entry history.Entry) {
	switch object := entry.Object.(type) {
	case *corev1.Node:
		if entry.Type == watch.Deleted {
			wait := g.chance.between(2*time.Second, 40*time.Second, "pods of", object.Name, entry.ResourceVersion)
			g.clock.after(wait, func() { g.evacuate(object.Name) })
		}
	case *appsv1.DaemonSet:
		if entry.Type == watch.Deleted || inForeground(object) {
			g.clock.after(time.Second, g.collect)
		}
	default:
		if entry.Type != watch.Deleted && slices.ContainsFunc(object.GetOwnerReferences(), g.absent) || inForeground(g.api.daemonSet()) {
			g.clock.after(time.Second, g.collect)
		}
	}
}

// evacuate removes the pods that are bound to a node that does not exist.
func (g *garbageCollector) evacuate(node string) {
	if g.standsStill(func() { g.evacuate(node) }) || g.api.node(node) != nil {
		return
	}
	for _, pod := range g.api.pods() {
		if pod.Spec.NodeName == node {
			g.api.remove(history.KindPod, pod.Name)
		}
	}
}

// collect deletes what has no owner left, and takes the owners that are gone from all else. A DaemonSet that is deleted in the foreground goes once nothing
// that blocks its deletion is left.
func (g *garbageCollector) collect() {
	if g.standsStill(g.collect) {
		return
	}
	for _, pod := range g.api.pods() {
		if g.lost(history.KindPod, pod) {
			// The pod was there just now.
			_ = g.api.deletePod(pod.Name, "", "")
		}
	}
	for _, revision := range g.api.revisions() {
		if g.lost(history.KindControllerRevision, revision) {
			g.api.remove(history.KindControllerRevision, revision.Name)
		}
	}
	ds := g.api.daemonSet()
	if !inForeground(ds) || slices.ContainsFunc(g.api.pods(), blocks[*corev1.Pod](ds)) || slices.ContainsFunc(g.api.revisions(), blocks[*appsv1.ControllerRevision](ds)) {
		return
	}
	g.api.remove(history.KindDaemonSet, ds.Name)
	g.collected()
}

// standsStill reports whether it does, and has what is to be done done later then.
func (g *garbageCollector) standsStill(later func()) bool {
	idle := g.idleUntil.Sub(g.clock.now)
	if idle > 0 {
		g.clock.after(idle, later)
	}
	return idle > 0
}

// lost reports whether object had owners of which none is left. One that keeps another owner loses those that are gone.
func (g *garbageCollector) lost(kind history.Kind, object history.Object) bool {
	owners := object.GetOwnerReferences()
	left := slices.DeleteFunc(slices.Clone(owners), g.absent)
	if len(left) == len(owners) || len(left) == 0 {
		return len(owners) > 0 && len(left) == 0
	}
	// The edit cannot fail and the object exists.
	_ = g.api.update(kind, object.GetName(), func(object history.Object) error {
		object.SetOwnerReferences(left)
		return nil
	})
	return false
}

// absent reports whether the owner is a DaemonSet agent that no longer exists, or that waits for what it owns to go. Other owners there are.
func (g *garbageCollector) absent(owner metav1.OwnerReference) bool {
	if owner.Kind != "DaemonSet" || owner.Name != daemonSetName || owner.APIVersion != appsv1.SchemeGroupVersion.String() {
		return false
	}
	ds := g.api.daemonSet()
	return ds == nil || ds.UID != owner.UID || inForeground(ds)
}

// inForeground reports whether the DaemonSet is deleted, and waits for what it owns to go.
func inForeground(ds *appsv1.DaemonSet) bool {
	return ds != nil && ds.DeletionTimestamp != nil && slices.Contains(ds.Finalizers, metav1.FinalizerDeleteDependents)
}

// blocks reports of objects whether they keep the DaemonSet from going.
func blocks[T metav1.Object](ds *appsv1.DaemonSet) func(T) bool {
	return func(object T) bool {
		return slices.ContainsFunc(object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
			return owner.UID == ds.UID && owner.BlockOwnerDeletion != nil && *owner.BlockOwnerDeletion
		})
	}
}
