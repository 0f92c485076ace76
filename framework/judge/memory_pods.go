package judge

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// track begins to remember a daemon pod.
func (m *memory) track(w *Workload, object *corev1.Pod) *Pod {
	node := w.node(history.NodeOf(object))
	pod := &Pod{Object: object, Workload: w, Node: node, readySince: m.now, outsideSurgeLimit: true, entered: m.step}
	node.Pods = append(node.Pods, pod)
	node.Served = true
	m.pods[object.UID] = pod
	w.recount(node)
	return pod
}

// drop ends a pod's time on its node, which remembers it for Lag, and until it loses another.
func (m *memory) drop(pod *Pod) {
	pod.goneAt = m.now
	node := pod.Node
	node.Pods = slices.DeleteFunc(node.Pods, func(other *Pod) bool { return other == pod })
	node.gone = slices.DeleteFunc(node.gone, func(other *Pod) bool { return !m.news.lately(other.goneAt, m.now) })
	node.gone = append(node.gone, pod)
	delete(m.pods, pod.Object.UID)
	pod.Workload.recount(node)
}

func (m *memory) pod(scene *Scene, object *corev1.Pod) {
	var owner *Workload
	if controller := metav1.GetControllerOf(object); controller != nil {
		owner = m.workloads[controller.UID]
	}
	known := m.pods[object.UID]
	if known != nil && known.Workload != owner {
		m.release(scene, known)
		known = nil
	}
	switch {
	case owner == nil:
		m.orphan(scene, object)
	case known == nil && scene.Change.Type == watch.Deleted:
	case known == nil:
		pod := m.track(owner, object)
		m.touch(scene, pod)
		if scene.Change.Type == watch.Added && owner.Live() && m.blame.creates(scene.Change.Entry, object) {
			scene.Created = &Creation{Pod: pod, Sent: scene.Change.Entry.Sent(), Beside: pod.Node.LivePods(pod)}
			m.act()
			if owner.createdAt.IsZero() {
				owner.createdAt = m.now
			}
			pod.own = true
			pod.outsideSurgeLimit = !slices.ContainsFunc(scene.Created.Beside, m.mustBeServed(pod))
		}
	default:
		m.touch(scene, known)
		m.update(scene, known, object)
		m.touch(scene, known)
	}
}

// release ends the time of a pod that has another controller, or none, or whose DaemonSet is gone. Who counts on it need not know of that for Lag, unless it is
// the implementation's own doing.
func (m *memory) release(scene *Scene, pod *Pod) {
	low, _ := pod.Workload.MinReady(m.now)
	if from, was := pod.AvailableFrom(low); was {
		pod.lostAt, pod.lostFrom, pod.lostMinReady, pod.lostToOthers = m.now, from, low, !scene.ChangedByImplementation(pod.Object)
	}
	m.drop(pod)
	m.touch(scene, pod)
}

// act takes note that the implementation has created, deleted or patched a pod.
func (m *memory) act() {
	m.acts++
	m.actedAt = m.now
}

// mayCreate reports whether the implementation may create pods for the DaemonSet, as far as the recording shows.
func (m *memory) mayCreate(w *Workload) bool {
	return !m.control.refusing[w.Object.Namespace] && (len(m.h.Watched) == 0 || !w.createdAt.IsZero())
}

// touch takes note that something may have changed on the pod's node.
func (m *memory) touch(scene *Scene, pod *Pod) {
	if last := len(scene.touched) - 1; last < 0 || scene.touched[last].node != pod.Node {
		scene.touched = append(scene.touched, touch{pod.Workload, pod.Node})
		m.woken = append(m.woken, pod.Workload)
	}
}

// mustBeServed returns the test for pods of another revision that the implementation has to take for available.
func (m *memory) mustBeServed(new *Pod) func(*Pod) bool {
	_, high := new.Workload.MinReady(m.now)
	revision := m.cluster.RevisionOf(new.Object)
	return func(pod *Pod) bool {
		return m.cluster.RevisionOf(pod.Object) != revision && pod.Steady(high, m.now)
	}
}

func (m *memory) update(scene *Scene, pod *Pod, object *corev1.Pod) {
	w := pod.Workload
	low, _ := w.MinReady(m.now)
	vanished := scene.Change.Type == watch.Deleted
	wasFrom, was := pod.AvailableFrom(low)
	if pod.Object.DeletionTimestamp == nil && (vanished || object.DeletionTimestamp != nil) {
		scene.Removed = m.removal(pod, scene.Change)
		if scene.Removed.Voluntary {
			m.act()
		}
	}
	if !vanished && object.DeletionTimestamp == nil && history.ImagesDiffer(pod.Object, object) {
		scene.Patched = m.patch(scene, pod)
		pod.note(m.step)
		if scene.Patched.Voluntary {
			m.act()
			pod.patchedAt = m.now
		}
	} else if notable(pod.Object, object) || vanished {
		pod.note(m.step)
	}
	// A pod that was deleted ends, too, when its time comes: nobody backs off from that.
	if !history.IsTerminal(pod.Object) && history.IsTerminal(object) && object.DeletionTimestamp == nil {
		pod.Node.Failures++
		pod.Node.Ended++
	}
	if !sameReadiness(pod.Object, object) {
		pod.readySince = m.now
		if history.IsReady(object) && m.cluster.IsUpdated(object) {
			w.course.ready(m.now, w.Settings.MinReady)
		}
	}
	if node := history.NodeOf(object); node != pod.Node.Name {
		pod.Node.Pods = slices.DeleteFunc(pod.Node.Pods, func(other *Pod) bool { return other == pod })
		w.recount(pod.Node)
		pod.Node = w.node(node)
		pod.Node.Pods = append(pod.Node.Pods, pod)
	}
	pod.Object = object
	if from, is := pod.AvailableFrom(low); was && (vanished || !is || from.After(wasFrom)) {
		m.lose(scene, pod, wasFrom, low)
	}
	if vanished {
		m.drop(pod)
		return
	}
	w.recount(pod.Node)
}

// lose takes note that the pod is not available any more, or not to be at the time at which it would have been.
func (m *memory) lose(scene *Scene, pod *Pod, from time.Time, minReady int32) {
	pod.lostAt, pod.lostFrom, pod.lostMinReady = m.now, from, minReady
	pod.relapsed = pod.relapsed || m.now.Before(from)
	patched := scene.Patched != nil && scene.Patched.Voluntary
	pod.lostToOthers = !patched && (scene.Removed == nil || !scene.Removed.Voluntary)
	if scene.Removed != nil || patched || m.now.Before(from) {
		return
	}
	if !slices.ContainsFunc(pod.Node.Pods, func(other *Pod) bool { return other.Available(minReady, m.now) }) {
		scene.Lost = pod.Node
	}
}

// removal judges who deleted the pod by the change and what it meant, by the state before.
func (m *memory) removal(pod *Pod, change history.Change) *Removal {
	low, high := pod.Workload.MinReady(m.now)
	return &Removal{
		Pod:       pod,
		Voluntary: pod.Workload.Live() && m.blame.deletes(pod.Object, change, m.cluster, m.now),
		Steady:    pod.Steady(high, m.now),
		Alone:     !pod.Node.servedBy(pod, low, m.now),
		Wanted:    pod.Node.Wanted(m.now),
	}
}

// patch judges who gave the pod's containers other images, and what that means, by the state before.
func (m *memory) patch(scene *Scene, pod *Pod) *Patch {
	low, high := pod.Workload.MinReady(m.now)
	return &Patch{
		Pod: pod, Before: pod.Object,
		Settled:   !m.news.lately(pod.latest().Time, m.now),
		Voluntary: pod.Workload.Live() && byImplementation(scene.Change.Entry, func() bool { return !m.harnessPatched(pod.Object) }),
		Steady:    pod.Steady(high, m.now),
		Alone:     !pod.Node.servedBy(pod, low, m.now),
		Wanted:    pod.Node.Wanted(m.now),
	}
}

// harnessPatched reports whether the harness has set out to patch the pod.
func (m *memory) harnessPatched(pod *corev1.Pod) bool {
	return slices.ContainsFunc(m.cluster.StimuliOn(pod.UID), func(entry history.Entry) bool { return entry.Stimulus.Act == history.PatchPod })
}

func sameReadiness(a, b *corev1.Pod) bool {
	before, after := history.Ready(a), history.Ready(b)
	if before == nil || after == nil {
		return before == after
	}
	return before.Status == after.Status && before.LastTransitionTime.Equal(&after.LastTransitionTime)
}

// notable reports whether a reader of a pod's life wants to see the change.
func notable(before, after *corev1.Pod) bool {
	return !sameReadiness(before, after) || before.Status.Phase != after.Status.Phase ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
}
