package rollout

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// TargetNodes is TARGET-001, and the part of SURGE-018 and DRAIN-008 that no pod is created: decided by the template, by the default tolerations, and by the node as it
// is recorded.
func TargetNodes() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-001",
		Kind:        judge.Prohibition,
		Promise:     "daemon pods are created only on nodes that the template's selector, affinity and tolerations allow",
		Needs:       everything(),
		New: func(header history.Header) judge.Observer {
			// Without a selector every node is recorded, and there is no other.
			recorded, err := labels.Parse(header.NodeSelector)
			return &targetNodes{recorded: recorded, bounded: err == nil && header.NodeSelector != ""}
		},
	}
}

type targetNodes struct {
	judge.Exercise
	// recorded selects the nodes that are recorded, bounded says that there are others.
	recorded labels.Selector
	bounded  bool
}

// Observe implements judge.Observer.
func (o *targetNodes) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil {
		return nil
	}
	pod := s.Created.Pod
	w, n := pod.Workload, pod.Node
	if n.Name == "" {
		return nil
	}
	if !o.Exercised() && len(s.Cluster.Nodes) > w.Desired {
		for _, node := range w.Nodes {
			if node.Exists && node.Unwanted(s.Now) {
				o.PutToTest()
				break
			}
		}
	}
	known := !n.Since.IsZero()
	switch {
	case known && !n.Unwanted(s.Now):
		return nil
	case !known && !(o.bounded && o.recorded.Matches(labels.Set(w.Object.Spec.Template.Spec.NodeSelector))):
		// Nothing is known of the node, and it may be one that fits.
		return nil
	}
	o.PutToTest()
	return s.OnNode(w, n, fmt.Sprintf("%s created on node %s, %s", pod.Object.Name, n.Name, repelled(s, w, n)))
}

// repelled says why the node is not eligible.
func repelled(s *judge.Scene, w *judge.Workload, n *judge.Node) string {
	node := s.Cluster.Nodes[n.Name]
	switch {
	case node == nil && n.Since.IsZero():
		return "which the selector excludes"
	case node == nil:
		return "which is deleted"
	case !fits(w, node):
		return "which the selector or the affinity excludes"
	}
	return "whose taints are not tolerated"
}

// fits reports whether nothing but a taint can keep the pods from the node.
func fits(w *judge.Workload, node *corev1.Node) bool {
	untainted := node.DeepCopy()
	untainted.Spec.Taints = nil
	return history.EligibilityOf(w.Object, untainted).ShouldRun
}

// TargetLabels is TARGET-002: every node that should run the pod gets one, and one that is not selected any more loses it.
func TargetLabels() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-002",
		Kind:        judge.Obligation,
		Promise:     "a node that is selected promptly gets a daemon pod, and one that is not any more promptly loses it",
		Needs:       everything(),
		New: judge.Both(
			judge.DueOnNodes(func(_ *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
				if !n.Eligible || n.Served || w.Settings.ZeroDowntime() {
					return judge.Due{}, false
				}
				return creation(n, "empty", "no pod created on the node, which is eligible and has never had one,"), true
			}),
			judge.DueOnNodes(evicted(func(w *judge.Workload, node *corev1.Node) bool { return !fits(w, node) }, "which the selector or the affinity excludes")),
		),
	}
}

// DrainTainted is DRAIN-008, as far as the pod has to go; that none is created is TARGET-001.
func DrainTainted() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-008",
		Kind:        judge.Obligation,
		Promise:     "a node with a NoExecute taint that the pods do not tolerate promptly loses its daemon pod",
		Needs:       everything(),
		New:         judge.DueOnNodes(evicted(fits, "whose taint is not tolerated")),
	}
}

// evicted is the condition that a pod is on a node that it must leave, for the reason.
func evicted(reason func(*judge.Workload, *corev1.Node) bool, words string) judge.Condition {
	return func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
		node := s.Cluster.Nodes[n.Name]
		live := n.LivePods(nil)
		if node == nil || n.Stays || len(live) == 0 || !reason(w, node) {
			return judge.Due{}, false
		}
		return judge.Due{
			About:  string(live[0].Object.UID),
			Undone: fmt.Sprintf("%s still on node %s, %s,", live[0].Object.Name, n.Name, words),
			Done:   func(s *judge.Scene) bool { return s.Removed != nil && s.Removed.Pod.Node == n },
		}, true
	}
}

// TargetCurrent is TARGET-004, and UNREADY-006 in a surge rollout: whatever it replaces, a pod is made from the template in force.
func TargetCurrent() judge.Rule {
	return judge.Rule{
		Requirement: "TARGET-004",
		Kind:        judge.Prohibition,
		Promise:     "a daemon pod is created from the current revision, never from an older one",
		Needs:       everything(),
		New:         func(history.Header) judge.Observer { return &createdCurrent{about: joined} },
	}
}

// UnreadyCurrent is UNREADY-006.
func UnreadyCurrent() judge.Rule {
	return judge.Rule{
		Requirement: "UNREADY-006",
		Kind:        judge.Prohibition,
		Promise:     "the pod that replaces an unavailable old pod is of the current revision",
		Needs:       everything(),
		New:         func(history.Header) judge.Observer { return &createdCurrent{about: replacesUnready} },
	}
}

type createdCurrent struct {
	judge.Exercise
	// about reports whether the creation is one that the promise is about.
	about func(*judge.Scene) bool
}

// joined: the node has had no other pod, and the DaemonSet has had another template.
func joined(s *judge.Scene) bool {
	pod := s.Created.Pod
	return pod.Workload.Settings.Template > 0 && len(pod.Node.Everyone()) == 1
}

// replacesUnready: a live pod is beside it that is not Ready, with maxSurge.
func replacesUnready(s *judge.Scene) bool {
	if !s.ZeroDowntime(s.Created.Pod.Workload) {
		return false
	}
	for _, pod := range s.Created.Beside {
		if !history.IsReady(pod.Object) {
			return true
		}
	}
	return false
}

// Observe implements judge.Observer.
func (o *createdCurrent) Observe(s *judge.Scene) []judge.Violation {
	if s.Created == nil || !o.about(s) {
		return nil
	}
	o.PutToTest()
	pod := s.Created.Pod
	revision := s.Cluster.RevisionOf(pod.Object)
	if revision == history.NoRevision || s.InForce(pod.Workload, revision) {
		return nil
	}
	return s.OnNode(pod.Workload, pod.Node, fmt.Sprintf("%s created from an older template", pod.Object.Name))
}
