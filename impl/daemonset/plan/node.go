package plan

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// nodeView is one node as one DaemonSet sees it. Pods that have ended and are being deleted are not in it: nothing is
// left to do about them, and they stand in nobody's way (DRAIN-007).
type nodeView struct {
	name string
	// eligible and keeps are what Eligibility says.
	eligible, keeps bool

	// olds and news are the pods, of another template and of the current one, that run or are about to: not
	// terminating, not ended. The one that is best kept comes first.
	olds, news []*corev1.Pod
	// ended are pods that failed or succeeded and still exist.
	ended []*corev1.Pod
	// terminatingOlds and terminatingNews are on their way out.
	terminatingOlds, terminatingNews []*corev1.Pod

	// deleting says that this pass deletes a pod here, so that it must not create one.
	deleting bool
}

// old returns the old pod that counts, or nil.
func (n *nodeView) old() *corev1.Pod { return first(n.olds) }

// updated returns the updated pod that counts, or nil.
func (n *nodeView) updated() *corev1.Pod { return first(n.news) }

func first(pods []*corev1.Pod) *corev1.Pod {
	if len(pods) == 0 {
		return nil
	}
	return pods[0]
}

// running reports whether the node has a pod that runs or is about to.
func (n *nodeView) running() bool { return len(n.olds)+len(n.news) > 0 }

// terminating reports whether the node has a pod on its way out that has not ended yet.
func (n *nodeView) terminating() bool { return len(n.terminatingOlds)+len(n.terminatingNews) > 0 }

// occupied reports whether there is any pod on the node.
func (n *nodeView) occupied() bool { return n.running() || n.terminating() }

// serves ranks pods by what they do for their node: available before Ready before others.
func (p *pass) serves(pod *corev1.Pod) int {
	switch {
	case p.available(pod):
		return 2
	case IsReady(pod):
		return 1
	default:
		return 0
	}
}

// keepOrder sorts pods of which one is to be kept. None is deleted in favour of one that serves less (SURGE-021,
// ROLLOVER-003); among equals a scheduled one is kept, then the oldest (SURGE-010).
func (p *pass) keepOrder(pods []*corev1.Pod) {
	unscheduled := func(pod *corev1.Pod) int {
		if pod.Spec.NodeName == "" {
			return 1
		}
		return 0
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(
			cmp.Compare(p.serves(b), p.serves(a)),
			cmp.Compare(unscheduled(a), unscheduled(b)),
			a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
			cmp.Compare(a.Name, b.Name),
		)
	})
}

// viewNodes sorts pods onto nodes; the result is in the order of the nodes. Pods that are bound to a node that
// does not exist are nowhere: they neither block nor count, and the pod garbage collector deletes them (TARGET-006).
// Those that only wait for such a node would wait for ever and are returned as stranded.
func (p *pass) viewNodes(nodes []*corev1.Node, pods []*corev1.Pod) (views []*nodeView, stranded []*corev1.Pod) {
	rule := newEligibilityRule(p.ds)
	byName := make(map[string]*nodeView, len(nodes))
	for _, node := range nodes {
		view := &nodeView{name: node.Name}
		view.eligible, view.keeps = rule.of(node)
		byName[node.Name] = view
		views = append(views, view)
	}
	for _, pod := range pods {
		target := TargetNode(pod)
		view := byName[target]
		if view == nil {
			if target != "" && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil {
				stranded = append(stranded, pod)
			}
			continue
		}
		p.place(view, pod)
	}
	for _, view := range views {
		p.keepOrder(view.olds)
		p.keepOrder(view.news)
	}
	return views, stranded
}

func (p *pass) place(view *nodeView, pod *corev1.Pod) {
	updated, terminating := p.history.updated(p.ds, pod), pod.DeletionTimestamp != nil
	switch {
	case HasEnded(pod) && terminating:
	case HasEnded(pod):
		view.ended = append(view.ended, pod)
	case terminating && updated:
		view.terminatingNews = append(view.terminatingNews, pod)
	case terminating:
		view.terminatingOlds = append(view.terminatingOlds, pod)
	case updated:
		view.news = append(view.news, pod)
	default:
		view.olds = append(view.olds, pod)
	}
}
