package history

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Cluster is the state of the recorded part of a cluster after an event. Replay changes it in place: an observer that wants to
// remember something keeps the objects, which are never changed, and not the Cluster.
type Cluster struct {
	// Time is when the harness received the newest event. In a replay, which knows what follows, it is the earliest time at which this
	// event or any later one was received: the best upper bound of when it happened, and never decreasing.
	Time time.Time
	// DaemonSets, Pods and Revisions by UID; Nodes by name.
	DaemonSets map[types.UID]*appsv1.DaemonSet
	Pods       map[types.UID]*corev1.Pod
	Revisions  map[types.UID]*appsv1.ControllerRevision
	Nodes      map[string]*corev1.Node
	// Stimuli so far, by the UID acted on and, for those without one, by "Kind/namespace/name".
	Stimuli map[string][]Entry
	// Changes counts the watch events so far, without heartbeats of nodes and what other scenarios did to nodes that they share; where a recording is made,
	// ends of standstills, too.
	Changes int
	// Reports are the Event objects received so far, by the UID of what they are about. They are outside the order, so a replay has none: see
	// History.Evidence.
	Reports map[types.UID][]*corev1.Event

	// objects are those there are, of every kind. What is above and below are views of them.
	objects       map[Kind]map[string]Object
	podsOf        map[types.UID]map[string]map[types.UID]*corev1.Pod
	templates     map[types.UID]*templates
	setTemplates  map[types.UID]*templates
	revisionOf    map[types.UID]int
	uncontrolled  map[types.UID]bool
	patched       map[types.UID]*patched
	sent          map[types.UID]*corev1.Pod
	decoded       map[*appsv1.ControllerRevision]decoded
	eligibility   map[types.UID]map[string]Eligibility
	desired       map[types.UID]int
	revisionLabel string
	// trusting: a pod's revision is the one that its label names. Where others use a cluster, what admits pods changes them, so that their content says little.
	trusting bool
}

// RevisionLabel is the label by which the implementation tells revisions apart.
func (c *Cluster) RevisionLabel() string { return c.revisionLabel }

// NewCluster returns an empty cluster, of an implementation with that revision label.
func NewCluster(revisionLabel string) *Cluster {
	return &Cluster{
		DaemonSets: map[types.UID]*appsv1.DaemonSet{},
		Pods:       map[types.UID]*corev1.Pod{},
		Revisions:  map[types.UID]*appsv1.ControllerRevision{},
		Nodes:      map[string]*corev1.Node{},
		Stimuli:    map[string][]Entry{},
		Reports:    map[types.UID][]*corev1.Event{},
		objects:    map[Kind]map[string]Object{},
		podsOf:     map[types.UID]map[string]map[types.UID]*corev1.Pod{},

		templates:    map[types.UID]*templates{},
		setTemplates: map[types.UID]*templates{},
		revisionOf:   map[types.UID]int{},
		uncontrolled: map[types.UID]bool{},
		patched:      map[types.UID]*patched{},
		sent:         map[types.UID]*corev1.Pod{},
		decoded:      map[*appsv1.ControllerRevision]decoded{},
		eligibility:  map[types.UID]map[string]Eligibility{},
		desired:      map[types.UID]int{},

		revisionLabel: revisionLabel,
	}
}

// NewCluster returns an empty cluster to replay a history with this header on.
func (h *Header) NewCluster() *Cluster {
	cluster := NewCluster(h.RevisionLabel)
	cluster.trusting = len(h.Watched) > 0
	return cluster
}

// Change is one step of a replay: the entry, and the object's state before it (nil if it did not exist).
type Change struct {
	Entry
	Before Object
}

// Apply brings the cluster to the state after the entry and returns the change.
func (c *Cluster) Apply(entry Entry) Change {
	c.Time = entry.Time
	if entry.Stimulus != nil {
		key := entry.Stimulus.key()
		c.Stimuli[key] = append(c.Stimuli[key], entry)
		return Change{Entry: entry}
	}
	if entry.Object == nil {
		return Change{Entry: entry}
	}
	c.Changes++
	entry = c.believe(entry)
	change := Change{Entry: entry, Before: c.store(entry)}
	c.rememberSent(entry)
	c.view(change)
	return change
}

// Report takes note of an Event object.
func (c *Cluster) Report(entry Entry) {
	if event, ok := entry.Object.(*corev1.Event); ok && entry.Type != watch.Deleted {
		about := event.InvolvedObject.UID
		c.Reports[about] = append(c.Reports[about], event)
	}
}

// store keeps the object, or forgets it, and returns its state before.
func (c *Cluster) store(entry Entry) Object {
	all := c.objects[entry.Kind]
	if all == nil {
		all = map[string]Object{}
		c.objects[entry.Kind] = all
	}
	// A node of the same name takes the place of one that was there before.
	key := entry.Object.GetName()
	if byKind()[entry.Kind].Namespaced {
		key = string(entry.Object.GetUID())
	}
	before := all[key]
	if entry.Type == watch.Deleted {
		delete(all, key)
	} else {
		all[key] = entry.Object
	}
	return before
}

// Objects returns the recorded objects of the kind that exist, in no order.
func (c *Cluster) Objects(kind Kind) []Object { return slices.Collect(maps.Values(c.objects[kind])) }

// StimuliOn returns what the harness did to the object so far.
func (c *Cluster) StimuliOn(uid types.UID) []Entry { return c.Stimuli[string(uid)] }

func (s *Stimulus) key() string {
	if s.UID != "" {
		return string(s.UID)
	}
	return string(s.Kind) + "/" + s.Namespace + "/" + s.Name
}

// Times returns when each entry happened at the latest, as a replay gives it in Cluster.Time.
func (h *History) Times() []time.Time {
	times := make([]time.Time, len(h.Entries))
	for i := len(h.Entries) - 1; i >= 0; i-- {
		times[i] = h.Entries[i].Time
		if i+1 < len(times) && times[i+1].Before(times[i]) {
			times[i] = times[i+1]
		}
	}
	return times
}

// Replay applies the history's entries to an empty cluster, one by one, and calls observe after each.
func (h *History) Replay(observe func(*Cluster, Change)) {
	cluster := h.NewCluster()
	times := h.Times()
	for i, entry := range h.Entries {
		change := cluster.Apply(entry)
		cluster.Time = times[i]
		observe(cluster, change)
	}
}
