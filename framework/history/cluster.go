package history

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	// Changes counts the watch events so far, without heartbeats of nodes and what other scenarios did to nodes that they share.
	Changes int
	// Reports are the Event objects received so far, by the UID of what they are about. They are outside the order, so a replay has none: see
	// History.Evidence.
	Reports map[types.UID][]*corev1.Event

	// others are the objects of kinds without a view of their own.
	others        map[Kind]map[types.UID]Object
	podsOf        map[types.UID]map[string]map[types.UID]*corev1.Pod
	templates     map[types.UID]*templates
	revisionOf    map[types.UID]int
	uncontrolled  map[types.UID]bool
	eligibility   map[types.UID]map[string]Eligibility
	desired       map[types.UID]int
	revisionLabel string
}

// NewCluster returns an empty cluster.
func NewCluster() *Cluster {
	return &Cluster{
		DaemonSets: map[types.UID]*appsv1.DaemonSet{},
		Pods:       map[types.UID]*corev1.Pod{},
		Revisions:  map[types.UID]*appsv1.ControllerRevision{},
		Nodes:      map[string]*corev1.Node{},
		Stimuli:    map[string][]Entry{},
		Reports:    map[types.UID][]*corev1.Event{},
		others:     map[Kind]map[types.UID]Object{},
		podsOf:     map[types.UID]map[string]map[types.UID]*corev1.Pod{},

		templates:    map[types.UID]*templates{},
		revisionOf:   map[types.UID]int{},
		uncontrolled: map[types.UID]bool{},
		eligibility:  map[types.UID]map[string]Eligibility{},
		desired:      map[types.UID]int{},
	}
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
	gone := entry.Type == watch.Deleted
	change := Change{Entry: entry}
	switch object := entry.Object.(type) {
	case *appsv1.DaemonSet:
		change.Before = replace(c.DaemonSets, object.UID, object, gone)
		before, _ := change.Before.(*appsv1.DaemonSet)
		if gone {
			c.forgetEligibility(object.UID)
		} else if !sameGeneration(before, object) && c.learnTemplate(object) {
			c.judgeAllNodes(object)
		}
	case *appsv1.ControllerRevision:
		change.Before = replace(c.Revisions, object.UID, object, gone)
		c.learnLabel(object)
	case *corev1.Node:
		change.Before = replace(c.Nodes, object.Name, object, gone)
		before, _ := change.Before.(*corev1.Node)
		if before != nil && !gone && SameToScenario(before, object) {
			c.Changes--
		}
		c.judgeNode(before, object, gone)
	case *corev1.Pod:
		change.Before = replace(c.Pods, object.UID, object, gone)
		if before, ok := change.Before.(*corev1.Pod); ok {
			c.unlist(before)
		}
		if gone {
			// The last state's revision is still wanted by whoever looks at the change.
			break
		}
		c.list(object)
		if metav1.GetControllerOf(object) == nil {
			c.uncontrolled[object.UID] = true
		}
		c.attribute(object)
	default:
		if c.others[entry.Kind] == nil {
			c.others[entry.Kind] = map[types.UID]Object{}
		}
		change.Before = replace(c.others[entry.Kind], object.GetUID(), object, gone)
	}
	return change
}

// Report takes note of an Event object.
func (c *Cluster) Report(entry Entry) {
	if event, ok := entry.Object.(*corev1.Event); ok && entry.Type != watch.Deleted {
		about := event.InvolvedObject.UID
		c.Reports[about] = append(c.Reports[about], event)
	}
}

// PodsOn returns the pods that the DaemonSet owns on the node, oldest first, whatever their phase.
func (c *Cluster) PodsOn(daemonSet types.UID, node string) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, 2)
	for _, pod := range c.podsOf[daemonSet][node] {
		pods = append(pods, pod)
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		if order := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
	return pods
}

// NodesOf returns the names of the nodes on which the DaemonSet owns at least one pod, sorted.
func (c *Cluster) NodesOf(daemonSet types.UID) []string {
	nodes := make([]string, 0, len(c.podsOf[daemonSet]))
	for node, pods := range c.podsOf[daemonSet] {
		if len(pods) > 0 {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// OwnerOf returns the DaemonSet that controls the pod, or nil if it has none or that is not (or no longer) recorded.
func (c *Cluster) OwnerOf(pod *corev1.Pod) *appsv1.DaemonSet {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return nil
	}
	return c.DaemonSets[owner.UID]
}

// StimuliOn returns what the harness did to the object so far.
func (c *Cluster) StimuliOn(uid types.UID) []Entry { return c.Stimuli[string(uid)] }

func (c *Cluster) list(pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	nodes := c.podsOf[owner.UID]
	if nodes == nil {
		nodes = map[string]map[types.UID]*corev1.Pod{}
		c.podsOf[owner.UID] = nodes
	}
	node := NodeOf(pod)
	if nodes[node] == nil {
		nodes[node] = map[types.UID]*corev1.Pod{}
	}
	nodes[node][pod.UID] = pod
}

func (c *Cluster) unlist(pod *corev1.Pod) {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		delete(c.podsOf[owner.UID][NodeOf(pod)], pod.UID)
	}
}

func (s *Stimulus) key() string {
	if s.UID != "" {
		return string(s.UID)
	}
	return string(s.Kind) + "/" + s.Namespace + "/" + s.Name
}

func replace[K comparable, V Object](all map[K]V, key K, object V, gone bool) Object {
	before, existed := all[key]
	if gone {
		delete(all, key)
	} else {
		all[key] = object
	}
	if !existed {
		return nil
	}
	return before
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
	cluster := NewCluster()
	cluster.revisionLabel = h.RevisionLabel
	times := h.Times()
	for i, entry := range h.Entries {
		change := cluster.Apply(entry)
		cluster.Time = times[i]
		observe(cluster, change)
	}
}

// Objects returns the recorded objects of the kind that exist, in no order.
func (c *Cluster) Objects(kind Kind) []Object {
	switch kind {
	case KindPod:
		return objects(c.Pods)
	case KindNode:
		return objects(c.Nodes)
	case KindDaemonSet:
		return objects(c.DaemonSets)
	case KindControllerRevision:
		return objects(c.Revisions)
	}
	return objects(c.others[kind])
}

func objects[K comparable, V Object](all map[K]V) []Object {
	list := make([]Object, 0, len(all))
	for _, object := range all {
		list = append(list, object)
	}
	return list
}
