package rollout

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// longestBackoff is how long an implementation may wait after pods that failed on the node: the longest delay that upstream documents.
const longestBackoff = 15 * time.Minute

// creation is what is owed on a node that has nothing to wait for, once pods have failed there after a delay.
func creation(n *judge.Node, about, undone string) judge.Due {
	due := judge.Due{About: about, Undone: undone, Creates: true}
	if n.Failures > 0 {
		due.About, due.Extra = fmt.Sprintf("%s after %d failures", about, n.Failures), longestBackoff
	}
	return due
}

// SurgeFills is SURGE-012. It counts from when the node is eligible, which may be long after it exists: the taint of a node that is not ready yet has to go.
func SurgeFills() judge.Rule {
	return judge.Rule{
		Requirement: "SURGE-012",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an eligible node without a daemon pod promptly gets one, whatever the limit",
		Needs:       everything(),
		New: judge.DueOnNodes(func(_ *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			if !n.Eligible || !w.Settings.ZeroDowntime() || len(n.Pods) > 0 {
				return judge.Due{}, false
			}
			return creation(n, "empty", "no pod created on the node, which is eligible and has none,"), true
		}),
	}
}

// besideLeaving is the condition that with maxSurge a node has nothing but a pod that is terminating, and that the pod is one to which this applies.
func besideLeaving(applies func(*judge.Scene, *judge.Workload, *judge.Pod) bool) judge.Condition {
	return func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
		pod := leaving(n)
		if pod == nil || !n.Eligible || !w.Settings.ZeroDowntime() || ended(n) || len(n.LivePods(nil)) > 0 || !applies(s, w, pod) {
			return judge.Due{}, false
		}
		undone := fmt.Sprintf("no pod created beside %s, which is terminating,", pod.Object.Name)
		return creation(n, string(pod.Object.UID), undone), true
	}
}

// hitBy reports whether the harness did this to the pod.
func hitBy(s *judge.Scene, pod *judge.Pod, act history.Act) bool {
	for _, entry := range s.Cluster.StimuliOn(pod.Object.UID) {
		if entry.Stimulus.Act == act {
			return true
		}
	}
	return false
}

// UnreadyDeleted is UNREADY-002.
func UnreadyDeleted() judge.Rule {
	return judge.Rule{
		Requirement: "UNREADY-002",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod that is deleted during a rollout promptly has an updated one beside it, while it terminates",
		Needs:       everything(),
		New: judge.DueOnNodes(besideLeaving(func(s *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool {
			return !s.Cluster.IsUpdated(pod.Object) && hitBy(s, pod, history.DeletePod)
		})),
	}
}

// UnreadyEvicted is UNREADY-003.
func UnreadyEvicted() judge.Rule {
	return judge.Rule{
		Requirement: "UNREADY-003",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod that is evicted during a rollout promptly has an updated one beside it, while it terminates",
		Needs:       everything(),
		New: judge.DueOnNodes(besideLeaving(func(s *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool {
			return !s.Cluster.IsUpdated(pod.Object) && hitBy(s, pod, history.EvictPod)
		})),
	}
}

// DrainDeleted is DRAIN-002.
func DrainDeleted() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-002",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge a pod that is deleted promptly has its replacement beside it, while it terminates",
		Needs:       everything(),
		New: judge.DueOnNodes(besideLeaving(func(s *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool {
			return s.Cluster.IsUpdated(pod.Object) && hitBy(s, pod, history.DeletePod)
		})),
	}
}

// DrainEvicted is DRAIN-006.
func DrainEvicted() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-006",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge a pod of a cordoned node that is evicted promptly has its replacement beside it, while it terminates",
		Needs:       everything(),
		New: judge.DueOnNodes(besideLeaving(func(s *judge.Scene, _ *judge.Workload, pod *judge.Pod) bool {
			node := s.Cluster.Nodes[pod.Node.Name]
			return node != nil && node.Spec.Unschedulable && hitBy(s, pod, history.EvictPod)
		})),
	}
}

// UnreadyReplaced is UNREADY-001: an old pod that is not Ready, with no updated one beside it. Both creating one and deleting the old pod are lawful; a node that
// has no pod then is SURGE-012's.
func UnreadyReplaced() judge.Rule {
	return judge.Rule{
		Requirement: "UNREADY-001",
		Kind:        judge.Obligation,
		Promise:     "with maxSurge an old pod that is not Ready promptly gets an updated one on its node, whatever the limit",
		Needs:       everything(),
		New: judge.DueOnNodes(func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
			old, updated := split(s, n)
			if len(old) == 0 || len(updated) > 0 || ended(n) || !n.Eligible || !w.Settings.ZeroDowntime() {
				return judge.Due{}, false
			}
			for _, pod := range old {
				if history.IsReady(pod.Object) {
					return judge.Due{}, false
				}
			}
			undone := fmt.Sprintf("no updated pod on the node of old pod %s, which is not Ready,", old[0].Object.Name)
			return creation(n, string(old[0].Object.UID), undone), true
		}),
	}
}
