package story

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// nodesShown is how many nodes a picture has room for: the violation's own and those that its window speaks of most.
const nodesShown = 3

// examplesShown is how many it has room for where it shows a state of all nodes.
const examplesShown = 5

// nodesOf chooses the nodes to draw: the violation's, then those of its window, the most frequent first. Where a state broke the promise that is about
// no node, they are followed by one of each group of nodes that are alike then, with how many others it stands for.
func nodesOf(h *history.History, v judge.Violation, at cause) (nodes []string, alike map[string]int) {
	entries := v.Window
	if at.event {
		entries = append(slices.Clone(entries), h.Entries[at.index])
	}
	mentions := map[string]int{}
	for _, entry := range entries {
		if node := nodeOf(entry); node != "" {
			mentions[node]++
		}
	}
	delete(mentions, v.Node)
	nodes = slices.SortedFunc(maps.Keys(mentions), func(a, b string) int {
		return cmp.Or(cmp.Compare(mentions[b], mentions[a]), strings.Compare(a, b))
	})
	if v.Node != "" {
		nodes = slices.Insert(nodes, 0, v.Node)
	}
	if v.Node != "" || at.event {
		return nodes[:min(len(nodes), nodesShown)], nil
	}
	alike = map[string]int{}
	for _, group := range groupsAt(h, at, later(v.Time, h.Start)) {
		drawn := slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return !slices.Contains(group.nodes, node) })
		if len(drawn) == 0 {
			drawn = group.nodes[:1]
			nodes = append(nodes, group.nodes[0])
		}
		alike[drawn[0]] = len(group.nodes) - len(drawn)
	}
	return nodes[:min(len(nodes), examplesShown)], alike
}

// groupsAt are the groups of nodes that are alike behind the entry, where there is a DaemonSet.
func groupsAt(h *history.History, at cause, now time.Time) []group {
	var groups []group
	index := -1
	h.Replay(func(cluster *history.Cluster, _ history.Change) {
		if index++; index == at.index {
			groups = slices.DeleteFunc(groupsOf(cluster, "", now), func(g group) bool { return len(daemonSetsOf(cluster)) == 0 || g.nodes[0] == "" })
		}
	})
	return groups
}

// podSeen is what a lane says of a pod beside its life.
type podSeen struct {
	node, name string
	number     int
	// version is the tag of its image when the promise broke or, if it did not exist then, when it last, or first, did; empty for one that says nothing.
	version string
}

// watcher follows a replay and finds which entries change the picture.
type watcher struct {
	nodes []string
	lives map[types.UID]life
	seen  map[types.UID]podSeen
	// created counts the pods that were created, by workload, node and revision.
	created map[string]int
	// announced holds what a stimulus has announced a change of: the change itself then needs no mark of its own.
	announced map[string]bool
	// settled: the promise broke, so what pods are called does not change any more.
	settled bool
	// desired is how many nodes each workload with a percentage was to run on.
	desired map[types.UID]int
}

func newWatcher(nodes []string) *watcher {
	return &watcher{
		nodes: nodes, lives: map[types.UID]life{}, seen: map[types.UID]podSeen{}, created: map[string]int{},
		announced: map[string]bool{}, desired: map[types.UID]int{},
	}
}

// see brings the lives up to date and returns whether a lane changes, and the mark if the entry deserves one.
func (w *watcher) see(cluster *history.Cluster, change history.Change, read reading) (moved bool, mark string) {
	if pod, ok := change.Object.(*corev1.Pod); ok {
		return w.pod(cluster, change, pod), ""
	}
	mark = w.mark(cluster, change, read)
	if daemonSet, ok := change.Object.(*appsv1.DaemonSet); ok {
		for uid, l := range w.lives {
			if owner := cluster.OwnerOf(l.pod); owner != nil && owner.UID == daemonSet.UID {
				l.minReadySeconds = daemonSet.Spec.MinReadySeconds
				w.lives[uid] = l
			}
		}
	}
	return false, strings.Join(slices.DeleteFunc([]string{mark, w.eligible(cluster, change)}, func(text string) bool { return text == "" }), "; ")
}

// pod reports whether the change of a pod changes a lane.
func (w *watcher) pod(cluster *history.Cluster, change history.Change, pod *corev1.Pod) bool {
	node := history.NodeOf(pod)
	if change.Before == nil && change.Type != watch.Deleted {
		owner := types.UID("")
		if daemonSet := cluster.OwnerOf(pod); daemonSet != nil {
			owner = daemonSet.UID
		}
		key := fmt.Sprintf("%s/%s/%d", owner, node, cluster.RevisionOf(pod))
		w.created[key]++
		w.seen[pod.UID] = podSeen{node: node, name: pod.Name, number: w.created[key]}
	}
	before, known := w.lives[pod.UID]
	if change.Type == watch.Deleted || !slices.Contains(w.nodes, node) {
		delete(w.lives, pod.UID)
		return known
	}
	now := life{pod: pod}
	if owner := cluster.OwnerOf(pod); owner != nil {
		now.minReadySeconds = owner.Spec.MinReadySeconds
	}
	w.lives[pod.UID] = now
	shown := w.seen[pod.UID]
	shown.node, shown.name = node, pod.Name
	if !w.settled || shown.version == "" {
		shown.version = versionOf(pod)
	}
	w.seen[pod.UID] = shown
	return !known || !sameLane(before.pod, pod)
}

// stages returns where each pod on the nodes is in its life at an instant.
func (w *watcher) stages(now time.Time) map[types.UID]picture.Stage {
	stages := make(map[types.UID]picture.Stage, len(w.lives))
	for uid, l := range w.lives {
		stages[uid] = l.at(now)
	}
	return stages
}

// step is the instant as the lives are.
func (w *watcher) step(instant time.Time, mark string) step {
	return step{time: instant, mark: mark, stages: w.stages(instant)}
}

// mark returns the text of an entry that explains what the lanes then do: a stimulus on one of the nodes or on none, a change of a
// DaemonSet's spec, a change of one of the nodes.
func (w *watcher) mark(cluster *history.Cluster, change history.Change, read reading) string {
	if stimulus := change.Stimulus; stimulus != nil {
		if stimulus.Node != "" && !slices.Contains(w.nodes, stimulus.Node) {
			return ""
		}
		w.announced[string(stimulus.Kind)+"/"+stimulus.Namespace+"/"+stimulus.Name] = true
		return describe(cluster, change, read)
	}
	if measurement := change.Measurement; measurement != nil {
		if !slices.Contains(w.nodes, measurement.Node) {
			return ""
		}
		return describe(cluster, change, read)
	}
	if change.Mark != "" || change.Ending != nil || change.Outcome != nil && change.Outcome.Refused {
		return describe(cluster, change, read)
	}
	switch object := change.Object.(type) {
	case *appsv1.DaemonSet:
		if before, ok := change.Before.(*appsv1.DaemonSet); ok && len(daemonSetSpecChanges(before, object)) == 0 && change.Type != watch.Deleted {
			return ""
		}
	case *corev1.Node:
		if before, ok := change.Before.(*corev1.Node); !ok || !slices.Contains(w.nodes, object.Name) ||
			(change.Type != watch.Deleted && len(nodeChanges(before, object)) == 0) {
			return ""
		}
	default:
		return ""
	}
	key := string(change.Kind) + "/" + change.Object.GetNamespace() + "/" + change.Object.GetName()
	if w.announced[key] {
		delete(w.announced, key)
		return ""
	}
	return describe(cluster, change, read)
}

// eligible returns the text of a change of the number of nodes that a percentage is taken of; empty if the entry changes none.
func (w *watcher) eligible(cluster *history.Cluster, change history.Change) string {
	var texts []string
	for _, daemonSet := range daemonSetsOf(cluster) {
		if !takesShares(daemonSet) {
			continue
		}
		before, known := w.desired[daemonSet.UID]
		now := cluster.Desired(daemonSet.UID)
		w.desired[daemonSet.UID] = now
		if _, isNode := change.Object.(*corev1.Node); known && isNode && before != now {
			texts = append(texts, fmt.Sprintf("nodes that DaemonSet %s is to run on: %d -> %d", daemonSet.Name, before, now))
		}
	}
	return strings.Join(texts, "; ")
}
