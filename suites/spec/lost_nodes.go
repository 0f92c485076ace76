package spec

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// lostNodes finds nodes that Kubernetes does not hear of any more although the scenario did nothing to them: their machine, or whoever simulates them, is not
// at work. What comes of it is nobody's fault.
type lostNodes struct {
	start time.Time
	// troubled are those that the scenario did something to.
	troubled sets.Set[string]
	// first says which one was lost first, and when; empty if none was.
	first string
}

func newLostNodes(h *history.History) *lostNodes {
	return &lostNodes{start: h.Start, troubled: sets.New[string]()}
}

// observe takes a step of the replay in.
func (l *lostNodes) observe(cluster *history.Cluster, change history.Change) {
	if stimulus := change.Stimulus; stimulus != nil && stimulus.Act.Disturbs() {
		l.troubled.Insert(stimulus.Node)
	}
	node, ok := change.Object.(*corev1.Node)
	if !ok || l.first != "" || l.troubled.Has(node.Name) {
		return
	}
	if before, existed := change.Before.(*corev1.Node); existed && !isUnknown(before) && isUnknown(node) {
		l.first = fmt.Sprintf("node %s was not heard of any more, %.1f s into the recording, though the scenario has done nothing to it", node.Name, cluster.Time.Sub(l.start).Seconds())
	}
}

func isUnknown(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionUnknown
		}
	}
	return false
}
