package judge

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// memory is what all rules of one replay remember together. It is kept per DaemonSet and per node, so that an event costs what its node costs.
type memory struct {
	h       *history.History
	news    *news
	cluster *history.Cluster
	now     time.Time
	// step is the present one, as it was recorded.
	step      moment
	workloads map[types.UID]*Workload
	pods      map[types.UID]*Pod
	// nodes are the versions of nodes, by name, that may have been eligible otherwise; nil is no node.
	nodes   map[string]versions[*corev1.Node]
	blame   blame
	control control
	// acts counts the pods that the implementation has created, deleted and patched.
	acts int
	// actedAt is when it last did.
	actedAt time.Time
	// woken are the DaemonSets that the step may have woken a controller for.
	woken []*Workload
}

func newMemory(h *history.History) *memory {
	m := &memory{
		h: h, workloads: map[types.UID]*Workload{}, pods: map[types.UID]*Pod{}, nodes: map[string]versions[*corev1.Node]{}, blame: newBlame(h.Start), control: newControl(),
	}
	m.news = &news{h: h, control: &m.control}
	return m
}

// see takes a step of the replay in.
func (m *memory) see(cluster *history.Cluster, change history.Change, step moment) *Scene {
	m.cluster, m.now, m.step = cluster, cluster.Time, step
	scene := &Scene{Cluster: cluster, Change: change, Now: m.now, memory: m, step: step}
	m.blame.forget()
	m.news.hear(m.now, change.Entry.Author)
	switch {
	case change.Stimulus != nil:
		m.switched(scene, func() { m.stimulus(change.Entry) })
		return scene
	case change.Outcome != nil:
		m.switched(scene, func() { m.outcome(change.Outcome) })
		return scene
	}
	switch object := change.Object.(type) {
	case *appsv1.DaemonSet:
		m.daemonSet(scene, object)
	case *corev1.Node:
		m.node(scene, object)
	case *corev1.Pod:
		m.pod(scene, object)
	case *appsv1.ControllerRevision:
		m.revision(scene, object)
	}
	m.characterizeTouched(scene)
	if change.Type == watch.Deleted {
		m.blame.used = change.Object.GetUID()
	}
	return scene
}

// pass ends the step: from now on its events count as those that may have woken the implementation.
func (m *memory) pass() {
	for _, workload := range m.woken {
		workload.wokenAt = m.now
	}
	m.woken = m.woken[:0]
}

func (m *memory) stimulus(entry history.Entry) {
	stimulus := entry.Stimulus
	m.blame.stimulus(entry, m.now)
	m.control.stimulus(stimulus, m.now)
	for _, workload := range m.workloads {
		workload.doom(stimulus)
	}
	if workload := m.workloads[stimulus.UID]; workload != nil && stimulus.Act.WritesStatus() {
		workload.statusDue, workload.statusUntil = true, m.now.Add(Lag)
	}
}

func (m *memory) outcome(outcome *history.Outcome) {
	m.control.outcome(outcome, m.now)
	if !outcome.Refused {
		return
	}
	m.blame.refused(outcome.Stimulus)
	for _, workload := range m.workloads {
		delete(workload.doomedBy, outcome.Stimulus)
	}
}

func (m *memory) daemonSet(scene *Scene, object *appsv1.DaemonSet) {
	m.blame.daemonSet(scene.Change, object)
	known := m.workloads[object.UID]
	if scene.Change.Type == watch.Deleted {
		if known != nil {
			known.gone = true
			scene.touched = append(scene.touched, touch{workload: known})
		}
		delete(m.workloads, object.UID)
		return
	}
	if known == nil {
		m.learn(scene, object)
		return
	}
	m.woken = append(m.woken, known)
	scene.written = known
	before := known.Object
	known.Object = object
	known.course.Relimited = known.course.Relimited || !equality.Semantic.DeepEqual(before.Spec.UpdateStrategy, object.Spec.UpdateStrategy)
	if before.Generation != object.Generation || (before.DeletionTimestamp == nil) != (object.DeletionTimestamp == nil) {
		known.change(m.now)
		scene.touched = append(scene.touched, touch{workload: known})
	}
	if template := m.cluster.CurrentRevision(object.UID); template != known.Settings.Template {
		known.rolledAt, known.rolledBy = m.now, m.step
		known.begin(known.Settings.Template, template, m.now)
		known.versions.supersede(before, m.now, m.news)
		scene.Rolled = known
		m.refreshNodes(object.UID, known)
	}
	m.refresh(object.UID, known)
	if equality.Semantic.DeepEqual(before.Status, object.Status) {
		return
	}
	if inferred := !known.harnessWrote(m.now); byImplementation(scene.Change.Entry, func() bool { return inferred }) {
		scene.Status = &StatusWrite{Workload: known, Before: before, After: object}
	}
}

// revision notes when the implementation wrote the history of the template in force. That is the first step of a rollout, since no pod may be created before
// (HISTORY-008). Only the first write counts: further ones put nothing off.
func (m *memory) revision(scene *Scene, object *appsv1.ControllerRevision) {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil || scene.Change.Type == watch.Deleted || !scene.ByImplementation() {
		return
	}
	known := m.workloads[owner.UID]
	before, existed := scene.Change.Before.(*appsv1.ControllerRevision)
	if known == nil || !known.recordedAt.Before(known.rolledAt) || existed && before.Revision == object.Revision {
		return
	}
	known.recordedAt = m.now
}

// learn begins to remember a DaemonSet.
func (m *memory) learn(scene *Scene, object *appsv1.DaemonSet) {
	known := newWorkload(object, m.now, m.step, m.news)
	m.workloads[object.UID] = known
	m.woken = append(m.woken, known)
	known.Desired = m.cluster.Desired(object.UID)
	known.settings, known.surge, known.switching = m.settings(object.UID, known), m.control.surge, m.control.switching()
	known.Settings = known.settings.under(known.surge)
	m.refreshNodes(object.UID, known)
	for _, node := range m.cluster.NodesOf(object.UID) {
		for _, pod := range m.cluster.PodsOn(object.UID, node) {
			m.track(known, pod)
		}
	}
	scene.touched = append(scene.touched, touch{workload: known})
}

func (m *memory) node(scene *Scene, object *corev1.Node) {
	m.blame.node(scene.Change, object, m.now)
	if before, _ := scene.Change.Before.(*corev1.Node); scene.Change.Type == watch.Deleted || !history.SameToEligibility(before, object) {
		known := m.nodes[object.Name]
		known.supersede(before, m.now, m.news)
		m.nodes[object.Name] = known
	}
	for uid, workload := range m.workloads {
		m.woken = append(m.woken, workload)
		if m.refreshNode(uid, workload, object.Name) {
			scene.touched = append(scene.touched, touch{workload, workload.Nodes[object.Name]})
		}
		m.refresh(uid, workload)
	}
}

func (m *memory) refresh(uid types.UID, w *Workload) {
	w.Desired = m.cluster.Desired(uid)
	before := w.Settings
	w.remember(m.settings(uid, w), m.now)
	w.course.proceed(before, w.Settings, w.Desired)
}

func (m *memory) settings(uid types.UID, w *Workload) bothSettings {
	template := m.cluster.CurrentRevision(uid)
	inPlace := m.h.UpdatesInPlace(w.Object)
	return bothSettings{
		with: settingsOf(w.Object, w.Desired, template, inPlace, true), without: settingsOf(w.Object, w.Desired, template, inPlace, false),
	}
}

// switched has an act happen that may switch a feature gate.
func (m *memory) switched(scene *Scene, act func()) {
	surge, switching := m.control.surge, m.control.switching()
	act()
	if surge == m.control.surge && switching == m.control.switching() {
		return
	}
	for _, workload := range m.workloads {
		workload.switchGate(m.control.surge, m.control.switching(), m.now)
		scene.touched = append(scene.touched, touch{workload: workload})
	}
}

// refreshNodes looks at all nodes that are there, and at those that somebody may still think are.
func (m *memory) refreshNodes(uid types.UID, w *Workload) {
	for name := range m.cluster.Nodes {
		m.refreshNode(uid, w, name)
	}
	for name, former := range m.nodes {
		if m.cluster.Nodes[name] == nil && former.anyRecent(m.now, m.news) {
			m.refreshNode(uid, w, name)
		}
	}
}

// refreshNode reports whether anything has changed.
func (m *memory) refreshNode(uid types.UID, w *Workload, name string) bool {
	object := m.cluster.Nodes[name]
	eligibility, exists := m.cluster.Eligibility(uid, name), object != nil
	node := w.node(name)
	if len(w.versions) > 0 && mixedUp(w.versions.with(w.Object, m.now, m.news), m.nodes[name].with(object, m.now, m.news), eligibility.ShouldRun) {
		node.Since = m.now
	}
	tainted := node.taintedBy(object)
	if node.Eligible == eligibility.ShouldRun && node.Stays == eligibility.ShouldContinue && node.Exists == exists {
		return tainted
	}
	if node.Eligible != eligibility.ShouldRun || node.Since.IsZero() {
		node.Since = m.now
	}
	node.Eligible, node.Stays, node.Exists = eligibility.ShouldRun, eligibility.ShouldContinue, exists
	return true
}
