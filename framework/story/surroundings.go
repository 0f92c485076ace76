package story

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// nodesShown is how many nodes a drawing has room for: the violation's own and those that its window speaks of most.
const nodesShown = 3

// surroundings is what a drawing is made of: the nodes concerned and every step at which something on them changed.
type surroundings struct {
	// moment of the violation.
	moment time.Time
	nodes  []string
	steps  []step
	// broke is the index of the step at which the promise broke, -1 if there is none.
	broke int
}

// step is one entry that changes the drawing, and the lives of the pods from it on.
type step struct {
	time time.Time
	// mark is the text of a stimulus or of a change of what the pods are to be; empty if the step is a change of lanes only.
	mark  string
	lives map[types.UID]life
}

// lookAround replays the history and keeps what concerns the violation.
func lookAround(h *history.History, v judge.Violation) surroundings {
	at, exact := eventOf(h, v)
	s := surroundings{moment: momentOf(h, v), nodes: nodesOf(h, v, at), broke: -1}
	watcher := &stepWatcher{nodes: s.nodes, pods: map[types.UID]*corev1.Pod{}, steered: map[string]bool{}}
	index := -1
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		index++
		moved := watcher.moves(change)
		mark := watcher.mark(cluster, change)
		if moved || mark != "" || (exact && index == at) {
			s.steps = append(s.steps, step{time: change.Time, mark: mark, lives: watcher.lives(cluster)})
		}
		if index != at {
			return
		}
		if !exact {
			// Time alone broke the promise, so the moment is a step of its own.
			s.steps = append(s.steps, step{time: s.moment, lives: watcher.lives(cluster)})
		}
		s.broke = len(s.steps) - 1
	})
	return s
}

// nodesOf chooses the nodes to draw: the violation's, then those of its window and of the event that broke the promise, the most
// frequent first.
func nodesOf(h *history.History, v judge.Violation, at int) []string {
	entries := v.Window
	if at >= 0 {
		entries = append(slices.Clone(entries), h.Entries[at])
	}
	mentions := map[string]int{}
	for _, entry := range entries {
		if node := nodeOf(entry); node != "" {
			mentions[node]++
		}
	}
	delete(mentions, v.Node)
	nodes := slices.SortedFunc(maps.Keys(mentions), func(a, b string) int {
		return cmp.Or(cmp.Compare(mentions[b], mentions[a]), strings.Compare(a, b))
	})
	if v.Node != "" {
		nodes = slices.Insert(nodes, 0, v.Node)
	}
	return nodes[:min(len(nodes), nodesShown)]
}

// stepWatcher follows a replay and tells which entries change the drawing.
type stepWatcher struct {
	nodes []string
	// pods on the nodes.
	pods map[types.UID]*corev1.Pod
	// steered holds what a stimulus has announced a change of: the change itself then needs no mark of its own.
	steered map[string]bool
}

// moves brings the pods up to date and tells whether a lane changes.
func (w *stepWatcher) moves(change history.Change) bool {
	pod, ok := change.Object.(*corev1.Pod)
	if !ok {
		return false
	}
	before := w.pods[pod.UID]
	if change.Type == "DELETED" || !slices.Contains(w.nodes, history.NodeOf(pod)) {
		delete(w.pods, pod.UID)
		return before != nil
	}
	w.pods[pod.UID] = pod
	return !sameLane(before, pod)
}

// mark returns the text of an entry that explains what the lanes then do: a stimulus on one of the nodes or on none, a change of a
// DaemonSet's spec, a change of one of the nodes.
func (w *stepWatcher) mark(cluster *history.Cluster, change history.Change) string {
	if stimulus := change.Stimulus; stimulus != nil {
		if stimulus.Node != "" && !slices.Contains(w.nodes, stimulus.Node) {
			return ""
		}
		w.steered[string(stimulus.Kind)+"/"+stimulus.Namespace+"/"+stimulus.Name] = true
		return Describe(cluster, change)
	}
	if measurement := change.Measurement; measurement != nil {
		if !slices.Contains(w.nodes, measurement.Node) {
			return ""
		}
		return Describe(cluster, change)
	}
	if change.Mark != "" || change.Ending != nil || change.Outcome != nil && change.Outcome.Refused {
		return Describe(cluster, change)
	}
	switch object := change.Object.(type) {
	case *appsv1.DaemonSet:
		if before, ok := change.Before.(*appsv1.DaemonSet); ok && len(daemonSetSpecChanges(before, object)) == 0 && change.Type != "DELETED" {
			return ""
		}
	case *corev1.Node:
		if before, ok := change.Before.(*corev1.Node); !ok || !slices.Contains(w.nodes, object.Name) ||
			(change.Type != "DELETED" && len(nodeChanges(before, object)) == 0) {
			return ""
		}
	default:
		return ""
	}
	key := string(change.Kind) + "/" + change.Object.GetNamespace() + "/" + change.Object.GetName()
	if w.steered[key] {
		delete(w.steered, key)
		return ""
	}
	return Describe(cluster, change)
}

func (w *stepWatcher) lives(cluster *history.Cluster) map[types.UID]life {
	lives := make(map[types.UID]life, len(w.pods))
	for uid, pod := range w.pods {
		state := life{pod: pod, revision: revisionOf(cluster, pod)}
		if owner := cluster.OwnerOf(pod); owner != nil {
			state.minReadySeconds = owner.Spec.MinReadySeconds
		}
		lives[uid] = state
	}
	return lives
}
