package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// tidy decides what holds for a node under every update strategy, and returns the node with what stays: without pods that it must not run, pods that
// ended, and pods beyond what the strategy allows.
func (p *pass) tidy(how strategy, view nodeView) *nodeView {
	if !view.keeps {
		p.evacuate(&view)
		return &view
	}
	p.clearEnded(&view)
	how.prune(p, &view)
	return &view
}

// evacuate deletes every pod of a node that must not run any (TARGET-002, DRAIN-008).
func (p *pass) evacuate(view *nodeView) {
	for _, pods := range [][]*corev1.Pod{view.olds, view.news, view.ended} {
		for _, pod := range pods {
			p.remove(view, pod, ReasonIneligible)
		}
	}
	view.olds, view.news, view.ended = nil, nil, nil
}

// clearEnded deletes pods that failed or succeeded, so that they are created again, but not faster than the backoff
// of the node allows: a kubelet that rejects a pod would otherwise be asked again in a hot loop. The pod stays until
// then, and while it does no other is created in its place, surge or not (TARGET-010, SURGE-024).
func (p *pass) clearEnded(view *nodeView) {
	if len(view.ended) == 0 {
		return
	}
	backoff := p.state.Backoff[view.name]
	if until := backoff.Until(); p.now.Before(until) {
		p.comeBack(until)
		if _, refused := p.state.RefusedDeletions[view.name]; refused {
			p.actions.PutOff = append(p.actions.PutOff, PodDeletion{Pod: view.ended[0], Node: view.name})
		}
		return
	}
	next := backoff.Next(p.now)
	next.Updated = slices.ContainsFunc(view.ended, func(pod *corev1.Pod) bool { return p.history.updated(p.ds, pod) })
	for _, pod := range view.ended {
		if pod.Status.Phase == corev1.PodFailed {
			p.event(corev1.EventTypeWarning, EventFailedDaemonPod, pod, view.name)
			p.remove(view, pod, ReasonFailed)
		} else {
			p.event(corev1.EventTypeNormal, EventSucceededDaemonPod, pod, view.name)
			p.remove(view, pod, ReasonSucceeded)
		}
	}
	if p.actions.Backoff == nil {
		p.actions.Backoff = map[string]Backoff{}
	}
	p.actions.Backoff[view.name] = next
}

func (p *pass) event(kind, reason string, pod *corev1.Pod, node string) {
	p.actions.Events = append(p.actions.Events, Event{
		Type: kind, Reason: reason, Pod: pod,
		Message: fmt.Sprintf("pod %s/%s on node %s ended with phase %s, deleting it", pod.Namespace, pod.Name, node, pod.Status.Phase),
	})
}

// pruneToOne leaves one pod: the updated one, unless the old one serves better (ROLLING-013, SURGE-021).
func (p *pass) pruneToOne(view *nodeView) {
	view.olds = p.pruneRest(view, view.olds)
	view.news = p.pruneRest(view, view.news)
	if view.old() == nil || view.updated() == nil {
		return
	}
	if p.serves(view.old()) > p.serves(view.updated()) {
		p.remove(view, view.updated(), ReasonDuplicate)
		view.news = nil
	} else {
		p.remove(view, view.old(), ReasonDuplicate)
		view.olds = nil
	}
}

// pruneToPair leaves at most one old and one updated pod, and both only as long as the hand-over between them is
// going on (SURGE-009, SURGE-010).
func (p *pass) pruneToPair(view *nodeView) {
	view.olds = p.pruneRest(view, view.olds)
	view.news = p.pruneRest(view, view.news)
	if view.old() == nil || view.updated() == nil {
		return
	}
	switch {
	case p.available(view.updated()):
		p.remove(view, view.old(), ReasonReplaced)
		view.olds = nil
	case !IsReady(view.old()):
		// Nothing is lost with it, and if it came back it would hold a surge slot that was never free (SURGE-022).
		p.remove(view, view.old(), ReasonOldUnavailable)
		view.olds = nil
	case !view.eligible:
		// The updated pod may wait for ever for a node that repels it, and with it the surge slot (SURGE-017).
		p.remove(view, view.updated(), ReasonIneligible)
		view.news = nil
	}
}

// pruneRest deletes all but the first of pods.
func (p *pass) pruneRest(view *nodeView, pods []*corev1.Pod) []*corev1.Pod {
	if len(pods) <= 1 {
		return pods
	}
	for _, pod := range pods[1:] {
		p.remove(view, pod, ReasonDuplicate)
	}
	return pods[:1]
}
