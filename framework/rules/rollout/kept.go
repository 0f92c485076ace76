package rollout

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// RollingKeepsCurrent is ROLLING-015, and the part of ROLLBACK-002, TARGET-008 and HISTORY-027 that no pod is deleted: whatever changes but the template, and
// whether or not the pod is Ready.
func RollingKeepsCurrent() judge.Rule {
	return judge.Rule{
		Requirement: "ROLLING-015",
		Kind:        judge.Prohibition,
		Promise:     "a pod of the template in force is not deleted from a node that is to run it, while it is the only one there",
		Needs:       everything(),
		Situations:  and(strategies(), situation.RolledBack(), situation.Restarted(), situation.Relimited(), situation.OnCordoned()),
		New:         func(history.Header) judge.Observer { return &kept{edited: sets.New[string]()} },
	}
}

type kept struct {
	judge.Exercise
	// edited are the namespaces in which somebody else laid hands on histories, and the pods that somebody else labelled: what is current by its labels is
	// not what is current by its content then.
	edited sets.Set[string]
}

// Observe implements judge.Observer.
func (o *kept) Observe(s *judge.Scene) []judge.Violation {
	if stimulus := s.Change.Stimulus; stimulus != nil {
		switch {
		case stimulus.Kind == history.KindControllerRevision:
			o.edited.Insert(stimulus.Namespace)
		case stimulus.Act == history.LabelPod:
			o.edited.Insert(string(stimulus.UID))
		}
	}
	if s.Created != nil {
		// Somebody works on the DaemonSet who could have deleted any of them.
		o.PutToTest()
	}
	if !onlyOne(s) {
		return nil
	}
	pod := s.Removed.Pod
	revision := s.Cluster.RevisionOf(pod.Object)
	current := revision != history.NoRevision && revision == pod.Workload.Settings.Template && untouchable(s, pod)
	if !current || !pod.Own() || o.edited.HasAny(pod.Object.Namespace, string(pod.Object.UID)) {
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s deleted, which is of the template in force", pod.Object.Name))
}

// OnDeleteKeepsOld is ONDELETE-001, as far as no pod is deleted.
func OnDeleteKeepsOld() judge.Rule {
	return judge.Rule{
		Requirement: "ONDELETE-001",
		Kind:        judge.Prohibition,
		Promise:     "with OnDelete an old pod is not deleted from a node that is to run the DaemonSet, while it is the only one there",
		Needs:       everything(),
		Situations:  and(course(), situation.OldUnreadyElsewhere()),
		New:         func(history.Header) judge.Observer { return &keptOnDelete{} },
	}
}

type keptOnDelete struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *keptOnDelete) Observe(s *judge.Scene) []judge.Violation {
	if w := s.Rolled; w != nil && w.Always(s.Now, onDelete) {
		o.PutToTest()
	}
	if s.Created != nil && s.Created.Pod.Workload.Always(s.Now, onDelete) {
		o.PutToTest()
	}
	if !onlyOne(s) {
		return nil
	}
	pod := s.Removed.Pod
	if s.Cluster.IsUpdated(pod.Object) || !onDelete(pod.Workload.Settings) || !untouchable(s, pod) {
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("old pod %s deleted with OnDelete", pod.Object.Name))
}

func onDelete(is judge.Settings) bool { return !is.Rolling }

// untouchable reports whether nothing that the implementation may still be acting by lets it delete the pod: the pod is of the template, or the strategy is
// OnDelete. So with OnDelete a template that has changed just now excuses nothing.
func untouchable(s *judge.Scene, pod *judge.Pod) bool {
	revision := s.Cluster.RevisionOf(pod.Object)
	return pod.Workload.Always(s.Now, func(is judge.Settings) bool {
		return onDelete(is) || revision != history.NoRevision && is.Template == revision
	})
}

// onlyOne reports whether the implementation deleted, in this step, a pod that had not ended, on a node that is to run the DaemonSet and that has, and just
// had, no other pod of it.
func onlyOne(s *judge.Scene) bool {
	removed := s.Removed
	return removed != nil && removed.Voluntary && removed.Wanted && !history.IsTerminal(removed.Pod.Object) && len(removed.Pod.Node.Lately(s.Now)) == 1
}
