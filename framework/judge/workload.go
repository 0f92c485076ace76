package judge

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// watchSkew is how far apart the watches of one controller may deliver what happened at the same time, when nothing is wrong.
const watchSkew = 200 * time.Millisecond

// Workload is what rules remember of one DaemonSet.
type Workload struct {
	Object *appsv1.DaemonSet
	// versions are those with another template.
	versions versions[*appsv1.DaemonSet]
	// Nodes by name: those that exist, and those that the DaemonSet has had pods on.
	Nodes map[string]*Node
	// Settings in force.
	Settings Settings
	// Desired is the number of eligible nodes.
	Desired int

	// doubled are the nodes with two live pods or more.
	doubled map[*Node]bool
	// having are how many nodes have each trait.
	having [traits]int
	// course is that of the rollout, newest the largest number of a template so far.
	course Course
	newest int
	// settings in force with either feature gate, past those before.
	settings bothSettings
	past     []pastSettings
	// surge: the feature gate surgeGate is on; switching: the implementation is being started with another one than it had, the last time until
	// switchedAt.
	surge, switching bool
	switchedAt       time.Time
	// rolledAt is when the template in force came, rolledBy the step that brought it. recordedAt is when the implementation first wrote a history after that.
	rolledAt, recordedAt time.Time
	rolledBy             moment
	// changedAt is when the spec last changed; createdAt is when the implementation created the first pod.
	changedAt, createdAt time.Time
	// wokenAt is when somebody last wrote to the DaemonSet, one of its pods or a node, before the present step.
	wokenAt time.Time
	// doomedBy are the numbers of the acts by which the harness deletes it; gone: it is deleted.
	doomedBy map[int]bool
	gone     bool
	// statusDue: the harness is about to write the status; statusUntil: it may still be.
	statusDue   bool
	statusUntil time.Time
	news        *news
}

func newWorkload(object *appsv1.DaemonSet, now time.Time, step moment, news *news) *Workload {
	return &Workload{
		Object: object, Nodes: map[string]*Node{}, doubled: map[*Node]bool{}, doomedBy: map[int]bool{}, rolledAt: now, rolledBy: step, changedAt: now, news: news,
	}
}

func (w *Workload) node(name string) *Node {
	node := w.Nodes[name]
	if node == nil {
		node = &Node{Name: name, news: w.news}
		w.Nodes[name] = node
	}
	return node
}

// Live reports whether there is a DaemonSet to act for.
func (w *Workload) Live() bool {
	return len(w.doomedBy) == 0 && !w.gone && w.Object.DeletionTimestamp == nil
}

// ChangedAt is when the spec last changed.
func (w *Workload) ChangedAt() time.Time { return w.changedAt }

// change takes note of a new spec: whoever backed off from the old one may start anew.
func (w *Workload) change(now time.Time) {
	w.changedAt = now
	for _, node := range w.Nodes {
		node.Failures = 0
	}
}

// Through reports whether the node has an available updated pod and no live old one.
func (s *Scene) Through(w *Workload, node *Node) bool {
	_, high := w.MinReady(s.Now)
	served := false
	for _, pod := range node.LivePods(nil) {
		if !s.Cluster.IsUpdated(pod.Object) {
			return false
		}
		served = served || pod.Available(high, s.Now)
	}
	return served
}

// InForce reports whether the revision is, or was until less than Lag ago, the DaemonSet's.
func (s *Scene) InForce(w *Workload, revision int) bool {
	return !w.Always(s.Now, func(s Settings) bool { return s.Template != revision })
}

// harnessWrote reports whether the status change just seen has to be put down to the harness.
func (w *Workload) harnessWrote(now time.Time) bool {
	wrote := w.statusDue || now.Before(w.statusUntil)
	w.statusDue = false
	return wrote
}

func (w *Workload) recount(node *Node) {
	if len(node.Pods) >= 2 && len(node.LivePods(nil)) >= 2 {
		w.doubled[node] = true
		return
	}
	delete(w.doubled, node)
}

// doom takes note that the harness deletes the DaemonSet, or what it is in.
func (w *Workload) doom(stimulus *history.Stimulus) {
	ds := w.Object
	switch {
	case !stimulus.Act.MayDelete():
	case stimulus.UID == ds.UID,
		stimulus.Kind == history.KindNamespace && stimulus.Name == ds.Namespace,
		stimulus.Kind == history.KindDaemonSet && stimulus.UID == "" && stimulus.Namespace == ds.Namespace && (stimulus.Name == "" || stimulus.Name == ds.Name):
		w.doomedBy[stimulus.Number] = true
	}
}
