package story

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// reading says what each pod is called throughout a story, whatever it was at the time of an event: "updated", "old" or "unknown" as it was when the
// promise broke or, for a pod that did not exist then, at its end before that or its beginning after it.
type reading map[types.UID]string

func readAt(h *history.History, at cause) reading {
	read := reading{}
	index := -1
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		index++
		if pod, ok := change.Object.(*corev1.Pod); ok {
			if _, known := read[pod.UID]; !known && (index > at.index || change.Type == watch.Deleted) {
				read[pod.UID] = revisionOf(cluster, pod)
			}
		}
		if index == at.index {
			for uid, pod := range cluster.Pods {
				read[uid] = revisionOf(cluster, pod)
			}
		}
	})
	return read
}

// subject is the pod, as of the violation.
func (r reading) subject(pod *corev1.Pod) string {
	subject := "pod " + pod.Name
	if revision := r[pod.UID]; revision != "" {
		subject += " (" + withVersion(revision, pod) + ")"
	}
	return subject + " on " + history.NodeOf(pod)
}

// withVersion is, for example, "old v1", as a lane has it.
func withVersion(revision string, pod *corev1.Pod) string {
	return strings.TrimSpace(revision + " " + versionOf(pod))
}

// of is the pod's revision in words, as of the violation, and as of the event where that differs.
func (r reading) of(cluster *history.Cluster, pod *corev1.Pod) string {
	then := revisionOf(cluster, pod)
	read, known := r[pod.UID]
	switch {
	case then == "":
		return ""
	case !known || read == then:
		return withVersion(then, pod)
	}
	return withVersion(read, pod) + ", " + then + " at the time"
}
