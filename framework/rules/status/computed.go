package status

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// computed is the part of StatusObserved about what the numbers were computed from: a status that is the first to observe a generation counts no more nodes as
// updated than have had a pod of its template, so late as the implementation may be with the pods.
type computed struct {
	judge.Exercise
	label   string
	updated map[types.UID]*updatedNodes
}

// updatedNodes are the nodes of a DaemonSet that have had a pod that may count as one of the template, since that came, or just before.
type updatedNodes struct {
	template int
	names    sets.Set[string]
}

// Observe implements judge.Observer.
func (o *computed) Observe(s *judge.Scene) []judge.Violation {
	for w, n := range s.TouchedNodes() {
		if slices.ContainsFunc(n.Lately(s.Now), func(pod *judge.Pod) bool { return o.mayCount(s, pod) }) {
			o.of(w).Insert(n.Name)
		}
	}
	if s.Status == nil {
		return nil
	}
	before, after, names := s.Status.Before, s.Status.After, o.of(s.Status.Workload)
	if after.Status.ObservedGeneration != after.Generation || after.Status.ObservedGeneration <= before.Status.ObservedGeneration {
		return nil
	}
	o.PutToTest()
	if int(after.Status.UpdatedNumberScheduled) <= names.Len() {
		return nil
	}
	if names = names.Union(adoptable(s, s.Status.Workload)); int(after.Status.UpdatedNumberScheduled) <= names.Len() {
		return nil
	}
	return []judge.Violation{{
		Got: fmt.Sprintf("observedGeneration %d with updatedNumberScheduled %d, where %d nodes have had a pod of its template",
			after.Generation, after.Status.UpdatedNumberScheduled, names.Len()),
		Before: judge.StatusNumbers(before.Status), After: judge.StatusNumbers(after.Status), Window: s.ThisEntry(),
	}}
}

// mayCount reports whether the pod may count as one of the template. One with a wrong label may: that is a promise broken before (HISTORY-012), not numbers of another
// spec.
func (o *computed) mayCount(s *judge.Scene, pod *judge.Pod) bool {
	w := pod.Workload.Object.UID
	return !pod.Own() || s.Cluster.IsUpdated(pod.Object) || s.Cluster.LabelledTemplate(w, pod.Object.Labels[o.label]) == s.Cluster.CurrentRevision(w)
}

// adoptable are the nodes of pods that nobody controls and that the DaemonSet may adopt. A status may count them before it does, as it will when it has them and their
// histories.
func adoptable(s *judge.Scene, w *judge.Workload) sets.Set[string] {
	names := sets.New[string]()
	for _, pod := range s.Cluster.Pods {
		if pod.DeletionTimestamp == nil && w.Adopts(pod) {
			names.Insert(history.NodeOf(pod))
		}
	}
	return names
}

// of returns the names for the DaemonSet's template as it is now. Other changes of the spec begin nothing anew.
func (o *computed) of(w *judge.Workload) sets.Set[string] {
	known := o.updated[w.Object.UID]
	if known == nil || known.template != w.Settings.Template {
		known = &updatedNodes{template: w.Settings.Template, names: sets.New[string]()}
		o.updated[w.Object.UID] = known
	}
	return known.names
}
