package inplace

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Counts is INPLACE-013, as far as limits are concerned: it is decided where pods that were patched, and are not back, make the difference.
func Counts() judge.Rule {
	return judge.Rule{
		Requirement: "INPLACE-013",
		Kind:        judge.Prohibition,
		Promise:     "a pod that was patched counts as unavailable until its new containers run and it is Ready",
		Needs:       everything(),
		Situations:  patching(),
		New:         judge.Both(func(history.Header) judge.Observer { return &counts{} }, func(history.Header) judge.Observer { return &reported{} }),
	}
}

type counts struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *counts) Observe(s *judge.Scene) []judge.Violation {
	pod, what := (*judge.Pod)(nil), ""
	limit, bounded := s.SpendsUnavailable()
	if bounded {
		pod, what = s.Removed.Pod, "deleted"
	} else if limit, bounded = s.PatchSpendsUnavailable(); bounded {
		pod, what = s.Patched.Pod, "patched"
	}
	if !bounded {
		return nil
	}
	nodes := s.Unserved(pod.Workload)
	var others []*judge.Node
	for _, node := range nodes {
		if node != pod.Node && restarting(node) {
			others = append(others, node)
		}
	}
	if len(others) == 0 {
		return nil
	}
	o.PutToTest()
	if len(nodes) <= limit || len(nodes)-len(others) > limit {
		return nil
	}
	got := fmt.Sprintf("%s %s while maxUnavailable, %d, was used up by pods that were patched and are not back, on %s", pod.Object.Name, what, limit, judge.NodeNames(others))
	return s.OnNode(pod.Workload, pod.Node, got, others[0].Everyone()...)
}

// restarting reports whether the node has a pod that was patched and is not back.
func restarting(node *judge.Node) bool {
	for _, pod := range node.LivePods(nil) {
		if pod.Restarting() {
			return true
		}
	}
	return false
}

// reported is the part about what the status says. It may have been counted before the patch, and before a node left, if it is written soon after.
type reported struct{ judge.Exercise }

// Observe implements judge.Observer.
func (o *reported) Observe(s *judge.Scene) []judge.Violation {
	if s.Status == nil || s.Status.Before.Status.NumberAvailable >= s.Status.After.Status.NumberAvailable {
		return nil
	}
	w := s.Status.Workload
	possible, missing := int32(0), (*judge.Node)(nil)
	for _, node := range w.Nodes {
		if node.Unwanted(s.Now) {
			continue
		}
		if pod := longRestarting(s, node); pod != nil && len(node.Pods) == 1 {
			missing = node
			continue
		}
		possible++
	}
	if missing == nil {
		return nil
	}
	o.PutToTest()
	if now := s.Status.After.Status.NumberAvailable; now > possible {
		return s.OnNode(w, missing, fmt.Sprintf("numberAvailable %d, where %d nodes can have an available pod", now, possible))
	}
	return nil
}

// longRestarting returns a pod of the node that was patched at least judge.Lag ago, without the delays of requests, and has not been back since; nil if there is none.
func longRestarting(s *judge.Scene, node *judge.Node) *judge.Pod {
	for _, pod := range node.LivePods(nil) {
		if pod.Restarting() && !s.Lately(pod.PatchedAt()) {
			return pod
		}
	}
	return nil
}
