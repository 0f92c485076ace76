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
		"desiredNumberScheduled",
		func(status appsv1.DaemonSetStatus) int32 { return status.DesiredNumberScheduled },
		func(_ *judge.Scene, _ *judge.Workload, n *judge.Node) (bool, bool, time.Time) {
			return n.Eligible, n.Eligible, time.Time{}
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
