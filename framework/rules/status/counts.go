package status

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// desired counts the nodes that should run the pod.
func desired() field {
	return field{
		"desiredNumberScheduled",
		func(status appsv1.DaemonSetStatus) int32 { return status.DesiredNumberScheduled },
		func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			return n.Eligible, n.Eligible, time.Time{}
		},
	}
}

// StatusDesired is STATUS-001. Where a node was deleted it is STATUS-014.
func StatusDesired() judge.Rule {
	return follows("STATUS-001", "desiredNumberScheduled promptly follows the number of nodes that should run the pod", desired())
}

// StatusNodeLeft is STATUS-014.
func StatusNodeLeft() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-014",
		Kind:        judge.Obligation,
		Promise:     "when a node is deleted, desiredNumberScheduled promptly follows",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New: counting(desired(), func(c *count, _ *judge.Scene) (judge.Due, bool) {
			got := int(c.w.Object.Status.DesiredNumberScheduled)
			if got == c.surely || !c.nodeLeft {
				return judge.Due{}, false
			}
			return judge.Due{Undone: fmt.Sprintf("desiredNumberScheduled %d, want %d,", got, c.surely)}, true
		}),
	}
}

// StatusCurrent is STATUS-002. Whether a pod that is terminating or has ended is one that the node has, the documents leave open.
func StatusCurrent() judge.Rule {
	return follows("STATUS-002", "currentNumberScheduled promptly follows the number of eligible nodes with a daemon pod", field{
		"currentNumberScheduled",
		func(status appsv1.DaemonSetStatus) int32 { return status.CurrentNumberScheduled },
		func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			return n.Eligible && len(n.LivePods(nil)) > 0, n.Eligible && len(n.Pods) > 0, time.Time{}
		},
	})
}

// StatusMisscheduled is STATUS-003.
func StatusMisscheduled() judge.Rule {
	return follows("STATUS-003", "numberMisscheduled promptly follows the number of nodes with a daemon pod that should have none", field{
		"numberMisscheduled",
		func(status appsv1.DaemonSetStatus) int32 { return status.NumberMisscheduled },
		func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			unwanted := n.Exists && !n.Eligible
			return unwanted && len(n.LivePods(nil)) > 0, unwanted && len(n.Pods) > 0, time.Time{}
		},
	})
}

// ready counts the nodes with a Ready pod, possibly those whose only one is terminating.
func ready(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (surely, possibly bool, from time.Time) {
	for _, pod := range n.Pods {
		if !n.Eligible || !judge.IsReady(pod) {
			continue
		}
		possibly = true
		surely = surely || history.IsLive(pod.Object)
	}
	return surely, possibly, time.Time{}
}

// StatusReady is STATUS-004. That a terminating pod does not count is STATUS-009.
func StatusReady() judge.Rule {
	return follows("STATUS-004", "numberReady promptly follows the number of eligible nodes with a Ready daemon pod", field{
		"numberReady", func(status appsv1.DaemonSetStatus) int32 { return status.NumberReady }, ready,
	})
}

// available counts the nodes with an available pod, possibly those whose only one is terminating.
func available(s *judge.Scene, w *judge.Workload, n *judge.Node) (surely, possibly bool, from time.Time) {
	for _, pod := range n.Pods {
		at, ok := pod.AvailableFrom(w.Settings.MinReady)
		if !n.Eligible || !ok {
			continue
		}
		if !surely || at.Before(from) {
			from = at
		}
		surely = true
	}
	_, terminating, _ := ready(s, w, n)
	return surely, terminating, from
}

// StatusAvailable is STATUS-005. That a terminating pod does not count is STATUS-009.
func StatusAvailable() judge.Rule {
	return follows("STATUS-005", "numberAvailable promptly follows the number of eligible nodes with an available daemon pod", field{
		"numberAvailable", func(status appsv1.DaemonSetStatus) int32 { return status.NumberAvailable }, available,
	})
}

// StatusUpdated is STATUS-008. Whether an updated pod that is terminating or has ended counts, the documents leave open.
func StatusUpdated() judge.Rule {
	return follows("STATUS-008", "updatedNumberScheduled promptly follows the number of eligible nodes with an updated daemon pod", field{
		"updatedNumberScheduled",
		func(status appsv1.DaemonSetStatus) int32 { return status.UpdatedNumberScheduled },
		func(s *judge.Scene, _ *judge.Workload, n *judge.Node) (surely, possibly bool, from time.Time) {
			for _, pod := range n.Pods {
				if !n.Eligible || !s.Cluster.IsUpdated(pod.Object) {
					continue
				}
				possibly = true
				surely = surely || history.IsLive(pod.Object)
			}
			return surely, possibly, time.Time{}
		},
	})
}

// StatusTerminating is STATUS-009.
func StatusTerminating() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-009",
		Kind:        judge.Obligation,
		Promise:     "a pod that is terminating promptly counts as ready no more",
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		New: counting(field{counts: ready}, func(c *count, _ *judge.Scene) (judge.Due, bool) {
			got := int(c.w.Object.Status.NumberReady)
			if got <= c.surely || got > c.possibly || c.nodeLeft {
				return judge.Due{}, false
			}
			return judge.Due{Undone: fmt.Sprintf("numberReady %d, want %d, which leaves terminating pods out,", got, c.surely)}, true
		}),
	}
}
