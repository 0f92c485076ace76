package matchers

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Which picks pods of an event.
type Which struct {
	text string
	is   func(*history.Cluster, *corev1.Pod) bool
}

// Updated picks pods of the template that is in force at the time; Old picks all others.
func Updated() Which { return Which{"updated", (*history.Cluster).IsUpdated} }

// Old picks pods of another template than the one in force at the time.
func Old() Which {
	return Which{"old", func(cluster *history.Cluster, pod *corev1.Pod) bool { return !cluster.IsUpdated(pod) }}
}

// Named picks the pod of that name.
func Named(name string) Which {
	return Which{name, func(_ *history.Cluster, pod *corev1.Pod) bool { return pod.Name == name }}
}

// NamedLike picks the pods whose name begins like this.
func NamedLike(prefix string) Which {
	return Which{prefix + "…", func(_ *history.Cluster, pod *corev1.Pod) bool { return strings.HasPrefix(pod.Name, prefix) }}
}

// OfDaemonSet picks the pods that the DaemonSet of that name controls.
func OfDaemonSet(name string) Which {
	return Which{"of DaemonSet " + name, func(cluster *history.Cluster, pod *corev1.Pod) bool {
		owner := cluster.OwnerOf(pod)
		return owner != nil && owner.Name == name
	}}
}

// OfVersion picks the pods whose first container's image has that tag.
func OfVersion(tag string) Which {
	return Which{tag, func(_ *history.Cluster, pod *corev1.Pod) bool {
		return history.HasTag(&pod.Spec, tag)
	}}
}

// all joins the choices: a pod must be in every one.
func all(which []Which) Which {
	texts := make([]string, len(which))
	for i, w := range which {
		texts[i] = w.text
	}
	return Which{strings.Join(texts, " "), func(cluster *history.Cluster, pod *corev1.Pod) bool {
		for _, w := range which {
			if !w.is(cluster, pod) {
				return false
			}
		}
		return true
	}}
}

// pod puts the choice into an event's text: "updated pod created".
func (w Which) pod(happened string) string {
	return strings.TrimSpace(w.text + " pod " + happened)
}

// AllBut picks the pods that the choice leaves.
func AllBut(which Which) Which {
	return Which{"not " + which.text, func(cluster *history.Cluster, pod *corev1.Pod) bool { return !which.is(cluster, pod) }}
}
