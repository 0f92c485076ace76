package judge

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// memory is what all judges of one replay remember together. It is kept per DaemonSet and per node, so that an event costs what its node costs.
type memory struct {
	h         *history.History
	cluster   *history.Cluster
	now       time.Time
	index     int
	workloads map[types.UID]*workload
	pods      map[types.UID]*podState
	blame     blame
}

func newMemory(h *history.History) *memory {
	return &memory{h: h, workloads: map[types.UID]*workload{}, pods: map[types.UID]*podState{}, blame: newBlame(h.Start)}
}

// see takes a step of the replay in.
func (m *memory) see(cluster *history.Cluster, change history.Change, index int) *Scene {
	m.cluster, m.now, m.index = cluster, cluster.Time, index
	scene := &Scene{Cluster: cluster, Change: change, Now: m.now, memory: m, index: index}
	if change.Stimulus != nil {
		m.blame.stimulus(change.Entry, m.now)
		m.stimulus(change.Stimulus)
		return scene
	}
	switch object := change.Object.(type) {
	case *appsv1.DaemonSet:
		m.daemonSet(scene, object)
	case *corev1.Node:
		m.blame.node(change, object, m.now)
		for uid, workload := range m.workloads {
			m.refreshNode(uid, workload, object.Name)
			m.refresh(uid, workload)
		}
	case *corev1.Pod:
		m.pod(scene, object)
	}
	return scene
}

func (m *memory) stimulus(stimulus *history.Stimulus) {
	workload := m.workloads[stimulus.UID]
	if workload == nil {
		return
	}
	if stimulus.Act.MayDelete() {
		workload.doomed = true
	}
	if stimulus.Act.WritesStatus() {
		workload.statusDue, workload.statusUntil = true, m.now.Add(Lag)
	}
}

func (m *memory) daemonSet(scene *Scene, object *appsv1.DaemonSet) {
	if scene.Change.Type == watch.Deleted {
		delete(m.workloads, object.UID)
		return
	}
	known := m.workloads[object.UID]
	if known == nil {
		known = &workload{
			object: object, nodes: map[string]*nodeState{}, doubled: map[*nodeState]bool{}, rolledAt: m.now, rolledBy: m.index,
		}
		m.workloads[object.UID] = known
		known.settings = settingsOf(object, m.cluster.Desired(object.UID), m.cluster.CurrentRevision(object.UID))
		m.refreshNodes(object.UID, known)
		for _, node := range m.cluster.NodesOf(object.UID) {
			for _, pod := range m.cluster.PodsOn(object.UID, node) {
				m.track(known, pod)
			}
		}
		return
	}
	before := known.object
	known.object = object
	if m.cluster.CurrentRevision(object.UID) != known.settings.template {
		known.rolledAt, known.rolledBy = m.now, m.index
		scene.rolled = known
		m.refreshNodes(object.UID, known)
	}
	m.refresh(object.UID, known)
	if equality.Semantic.DeepEqual(before.Status, object.Status) {
		return
	}
	if inferred := !known.harnessWrote(m.now); byImplementation(scene.Change.Entry, func() bool { return inferred }) {
		scene.status = &statusWrite{workload: known, before: before, after: object}
	}
}

// harnessWrote tells whether the status change just seen has to be put down to the harness.
func (w *workload) harnessWrote(now time.Time) bool {
	wrote := w.statusDue || now.Before(w.statusUntil)
	w.statusDue = false
	return wrote
}

func (m *memory) refresh(uid types.UID, w *workload) {
	w.remember(settingsOf(w.object, m.cluster.Desired(uid), m.cluster.CurrentRevision(uid)), m.now)
}

func (m *memory) refreshNodes(uid types.UID, w *workload) {
	for name := range m.cluster.Nodes {
		m.refreshNode(uid, w, name)
	}
}

func (m *memory) refreshNode(uid types.UID, w *workload, name string) {
	eligible := m.cluster.Eligibility(uid, name).ShouldRun
	if node := w.node(name); node.eligible != eligible {
		node.eligible, node.since = eligible, m.now
	}
}

// track begins to remember a daemon pod.
func (m *memory) track(w *workload, object *corev1.Pod) *podState {
	node := w.node(history.NodeOf(object))
	pod := &podState{object: object, workload: w, node: node, readySince: m.now, free: true, entries: []int{m.index}}
	node.pods = append(node.pods, pod)
	m.pods[object.UID] = pod
	w.recount(node)
	return pod
}

// drop ends a pod's time on its node; it is remembered there for Lag.
func (m *memory) drop(pod *podState) {
	pod.gone = true
	node := pod.node
	node.pods = slices.DeleteFunc(node.pods, func(other *podState) bool { return other == pod })
	node.gone = slices.DeleteFunc(node.gone, func(other *podState) bool { return m.now.Sub(other.lostAt) >= Lag })
	node.gone = append(node.gone, pod)
	delete(m.pods, pod.object.UID)
	pod.workload.recount(node)
}

func (w *workload) recount(node *nodeState) {
	if len(node.pods) >= 2 && len(node.livePods(nil)) >= 2 {
		w.doubled[node] = true
		return
	}
	delete(w.doubled, node)
}

func (m *memory) pod(scene *Scene, object *corev1.Pod) {
	var owner *workload
	if controller := metav1.GetControllerOf(object); controller != nil {
		owner = m.workloads[controller.UID]
	}
	known := m.pods[object.UID]
	if known != nil && known.workload != owner {
		// Released, or its DaemonSet is gone.
		m.drop(known)
		known = nil
	}
	switch {
	case owner == nil:
	case known == nil && scene.Change.Type == watch.Deleted:
	case known == nil:
		pod := m.track(owner, object)
		if scene.Change.Type == watch.Added && owner.live() && m.blame.creates(scene.Change.Entry, object) {
			scene.created = &creation{pod: pod, beside: pod.node.livePods(pod)}
			pod.free = !slices.ContainsFunc(scene.created.beside, m.mustBeServed(pod))
		}
	default:
		m.update(scene, known, object)
	}
}

// mustBeServed returns the test for pods of another revision that the implementation has to take for available.
func (m *memory) mustBeServed(new *podState) func(*podState) bool {
	_, high := new.workload.minReady(m.now)
	revision := m.cluster.RevisionOf(new.object)
	return func(pod *podState) bool {
		return m.cluster.RevisionOf(pod.object) != revision && pod.steady(high, m.now)
	}
}

func (m *memory) update(scene *Scene, pod *podState, object *corev1.Pod) {
	w := pod.workload
	low, _ := w.minReady(m.now)
	vanished := scene.Change.Type == watch.Deleted
	wasFrom, was := pod.availableFrom(low)
	if pod.object.DeletionTimestamp == nil && (vanished || object.DeletionTimestamp != nil) {
		scene.removed = m.removal(pod, scene.Change)
	}
	if notable(pod.object, object) || vanished {
		pod.entries = append(pod.entries, m.index)
	}
	if !sameReadiness(pod.object, object) {
		pod.readySince = m.now
	}
	if node := history.NodeOf(object); node != pod.node.name {
		pod.node.pods = slices.DeleteFunc(pod.node.pods, func(other *podState) bool { return other == pod })
		w.recount(pod.node)
		pod.node = w.node(node)
		pod.node.pods = append(pod.node.pods, pod)
	}
	pod.object = object
	if from, is := pod.availableFrom(low); was && (vanished || !is || from.After(wasFrom)) {
		m.lose(scene, pod, wasFrom, low)
	}
	if vanished {
		m.drop(pod)
		return
	}
	w.recount(pod.node)
}

// lose takes note that the pod is not available any more, or not to be at the time at which it would have been.
func (m *memory) lose(scene *Scene, pod *podState, from time.Time, minReady int32) {
	pod.lostAt, pod.lostFrom = m.now, from
	pod.lostToOthers = scene.removed == nil || !scene.removed.voluntary
	if scene.removed != nil || m.now.Before(from) {
		return
	}
	if !slices.ContainsFunc(pod.node.pods, func(other *podState) bool { return other.available(minReady, m.now) }) {
		scene.lost = pod.node
	}
}

// removal judges who deleted the pod by the change and what it meant, by the state before.
func (m *memory) removal(pod *podState, change history.Change) *removal {
	low, high := pod.workload.minReady(m.now)
	return &removal{
		pod:       pod,
		voluntary: pod.workload.live() && m.blame.deletes(pod.object, change, m.cluster, m.now),
		steady:    pod.steady(high, m.now),
		alone:     !pod.node.served(pod, low, m.now),
		wanted:    pod.node.wanted(m.now),
	}
}

func sameReadiness(a, b *corev1.Pod) bool {
	before, after := history.Ready(a), history.Ready(b)
	if before == nil || after == nil {
		return before == after
	}
	return before.Status == after.Status && before.LastTransitionTime.Equal(&after.LastTransitionTime)
}

// notable tells whether a reader of a pod's life wants to see the change.
func notable(before, after *corev1.Pod) bool {
	return !sameReadiness(before, after) || before.Status.Phase != after.Status.Phase ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
}
