package golden

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// precision of times in golden recordings. Judges allow the harness a second.
const precision = time.Millisecond

// notDeleted is the reason of the only Event objects about pods that a check looks at (PDB-014).
const notDeleted = "NotDeleted"

// trim drops what no rule and no check looks at: Event objects about pods and nodes but for notDeleted, heartbeats of nodes, what is long in their status, that they lack
// nothing, and answers that repeat a node or a pod.
func trim(h *history.History) {
	// Git keeps them as they are, and digests do not compress.
	h.Version = history.Unchained
	h.Evidence = slices.DeleteFunc(h.Evidence, func(entry history.Entry) bool {
		event, ok := entry.Object.(*corev1.Event)
		return !ok || event.Reason != notDeleted && slices.Contains([]string{string(history.KindPod), string(history.KindNode)}, event.InvolvedObject.Kind)
	})
	for i := range h.Evidence {
		h.Evidence[i].Received = h.Evidence[i].Received.Truncate(precision)
		event := h.Evidence[i].Object.(*corev1.Event)
		event.EventTime.Time = event.EventTime.Truncate(precision)
	}
	nodes := map[types.UID]*corev1.Node{}
	kept := h.Entries[:0]
	for _, entry := range h.Entries {
		if node, ok := entry.Object.(*corev1.Node); ok {
			before := nodes[node.UID]
			nodes[node.UID] = node
			if before != nil && entry.Type == watch.Modified && history.SameToScenario(before, node) {
				continue
			}
			node.Status = corev1.NodeStatus{Conditions: telling(node.Status.Conditions)}
		}
		entry.Received = entry.Received.Truncate(precision)
		if entry.Author != nil {
			entry.Author.Answered = entry.Author.Answered.Truncate(precision)
		}
		if exchange := entry.Exchange; exchange != nil {
			exchange.Began, exchange.Ended = exchange.Began.Truncate(precision), exchange.Ended.Truncate(precision)
			if slices.Contains([]string{"namespaces", "nodes", "pods"}, exchange.Resource) {
				exchange.Object = nil
			}
		}
		kept = append(kept, entry)
	}
	h.Entries = kept
}

// telling are a node's conditions but for those that are not so, of which only Ready tells something, without their heartbeats.
func telling(all []corev1.NodeCondition) []corev1.NodeCondition {
	var kept []corev1.NodeCondition
	for _, condition := range all {
		if condition.Type == corev1.NodeReady || condition.Status != corev1.ConditionFalse {
			condition.LastHeartbeatTime = metav1.Time{}
			kept = append(kept, condition)
		}
	}
	return kept
}
