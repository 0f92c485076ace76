package story

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// stage is where a pod is in its life, as a lane shows it.
type stage int

const (
	absent stage = iota
	pending
	running
	ready
	available
	terminating
	ended
)

// look is how a stage is drawn and called.
type look struct {
	block, ascii rune
	name         string
}

func (s stage) look() look {
	switch s {
	case pending:
		return look{'·', '.', "pending"}
	case running:
		return look{'░', '-', "running not Ready"}
	case ready:
		return look{'▒', '=', "Ready"}
	case available:
		return look{'█', '#', "available"}
	case terminating:
		return look{'╳', 'x', "terminating"}
	case ended:
		return look{'!', '!', "failed or ended"}
	}
	return look{' ', ' ', ""}
}

func (s stage) draw(unicode bool) rune {
	if unicode {
		return s.look().block
	}
	return s.look().ascii
}

// life is a pod's state between two steps.
type life struct {
	pod             *corev1.Pod
	minReadySeconds int32
	// revision is "updated", "old" or "".
	revision string
}

// at returns the stage at an instant: a Ready pod becomes available by the passing of time, without an event.
func (l life) at(now time.Time) stage {
	switch {
	case l.pod == nil:
		return absent
	case l.pod.DeletionTimestamp != nil:
		return terminating
	case history.IsTerminal(l.pod):
		return ended
	case history.IsAvailable(l.pod, l.minReadySeconds, now):
		return available
	case history.IsReady(l.pod):
		return ready
	case l.pod.Status.Phase == corev1.PodRunning:
		return running
	}
	return pending
}

// sameLane tells whether two states of a pod draw the same lane at every instant.
func sameLane(a, b *corev1.Pod) bool {
	if a == nil || b == nil {
		return a == b
	}
	readyA, readyB := history.Ready(a), history.Ready(b)
	if history.IsReady(a) != history.IsReady(b) || (history.IsReady(a) && !readyA.LastTransitionTime.Equal(&readyB.LastTransitionTime)) {
		return false
	}
	return a.Status.Phase == b.Status.Phase && (a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) && history.NodeOf(a) == history.NodeOf(b)
}
