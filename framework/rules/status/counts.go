package status

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// desired counts the nodes that should run the pod.
func desired() field {
	return field{
		name: "desiredNumberScheduled", leaves: true,
		value: func(status appsv1.DaemonSetStatus) int32 { return status.DesiredNumberScheduled },
		counts: func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			return n.Eligible, n.Eligible, time.Time{}
		},
	}
}

// misscheduled counts the nodes that hold a pod and should hold none, possibly those whose only one is terminating or has ended.
func misscheduled() field {
	return field{
		name: "numberMisscheduled", leaves: true,
		value: func(status appsv1.DaemonSetStatus) int32 { return status.NumberMisscheduled },
		counts: func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			unwanted := n.Exists && !n.Eligible
			return unwanted && len(n.LivePods(nil)) > 0, unwanted && len(n.Pods) > 0, time.Time{}
		},
	}
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

// available counts the nodes with an available pod, possibly those with a Ready one that is terminating, or does not say since when it is Ready.
func available(_ *judge.Scene, w *judge.Workload, n *judge.Node) (surely, possibly bool, from time.Time) {
	if !n.Eligible {
		return false, false, time.Time{}
	}
	for _, pod := range n.Pods {
		at, ok := pod.AvailableFrom(w.Settings.MinReady)
		if !ok {
			possibly = possibly || judge.IsReady(pod)
			continue
		}
		if !surely || at.Before(from) {
			from = at
		}
		surely = true
	}
	return surely, possibly, from
}
