package simulation

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// garbageCollector removes what has lost its node or its DaemonSet, as two controllers of Kubernetes do.
type garbageCollector struct {
	clock  *clock
	api    *apiServer
	chance chance
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
		if entry.Type == watch.Deleted {
			g.clock.after(time.Second, g.orphans)
		}
	case *corev1.Pod:
		if entry.Type != watch.Deleted && g.lost(object) {
			g.clock.after(time.Second, g.orphans)
		}
	case *appsv1.ControllerRevision:
		if entry.Type != watch.Deleted && g.lost(object) {
			g.clock.after(time.Second, g.orphans)
		}
	}
}

// evacuate removes the pods that are bound to a node that does not exist.
func (g *garbageCollector) evacuate(node string) {
	if g.api.node(node) != nil {
		return
	}
	for _, pod := range g.api.pods() {
		if pod.Spec.NodeName == node {
			g.api.remove(history.KindPod, pod.Name)
		}
	}
}

// orphans deletes what a DaemonSet left behind.
func (g *garbageCollector) orphans() {
	for _, pod := range g.api.pods() {
		if g.lost(pod) {
			// The pod was there just now.
			_ = g.api.deletePod(pod.Name, "", "")
		}
	}
	for _, revision := range g.api.revisions() {
		if g.lost(revision) {
			g.api.remove(history.KindControllerRevision, revision.Name)
		}
	}
}

// lost says whether object is controlled by a DaemonSet agent that no longer exists.
func (g *garbageCollector) lost(object metav1.Object) bool {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil || owner.Name != daemonSetName {
		return false
	}
	ds := g.api.daemonSet()
	return ds == nil || ds.UID != owner.UID
}
