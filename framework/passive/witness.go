package passive

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// settle is how long before or after an act is received the Event may be in which a controller says that it was its own. What it said long ago was of another pod
// of the name.
const settle = 5 * time.Second

// The reasons of Events by which DaemonSet controllers say what they did.
const (
	created = "SuccessfulCreate"
	deleted = "SuccessfulDelete"
)

// claim is what a controller says that it did.
type claim struct {
	workload types.UID
	reason   string
	pod      string
}

// claimIn reads an Event; nil if it says nothing of the kind. Kubernetes' controller names the pod at the end of the message, "Deleted pod: agent-x7k2p", also
// where it sums several up; others name it as what is related.
func claimIn(object history.Object) *claim {
	event, ok := object.(*corev1.Event)
	if !ok || event.InvolvedObject.Kind != string(history.KindDaemonSet) || event.Reason != created && event.Reason != deleted {
		return nil
	}
	said := &claim{workload: event.InvolvedObject.UID, reason: event.Reason}
	if event.Related != nil && event.Related.Kind == string(history.KindPod) {
		said.pod = event.Related.Name
	} else if _, name, found := strings.Cut(event.Message, " pod: "); found {
		said.pod = name
	}
	return said
}

// witness infers who made changes.
type witness struct {
	// start is when everything was recorded from.
	start time.Time
	// said has when each claim was heard.
	said map[claim][]time.Time
}

func newWitness(start time.Time) *witness {
	return &witness{start: start, said: map[claim][]time.Time{}}
}

// hear takes an Event in.
func (w *witness) hear(entry history.Entry) {
	if said := claimIn(entry.Object); said != nil && entry.Type != watch.Deleted {
		w.said[*said] = append(w.said[*said], entry.Time)
	}
}

// forget drops what was said before a time.
func (w *witness) forget(before time.Time) {
	for said, times := range w.said {
		if times = slices.DeleteFunc(times, func(at time.Time) bool { return at.Before(before) }); len(times) == 0 {
			delete(w.said, said)
		} else {
			w.said[said] = times
		}
	}
}

// author is the implementation where there is evidence of that, and somebody else everywhere else. What made the change may be asked for settle after it was
// received.
func (w *witness) author(entry history.Entry, before history.Object, owner *appsv1.DaemonSet) *history.Author {
	who := history.Others
	switch object := entry.Object.(type) {
	case *corev1.Pod:
		was, _ := before.(*corev1.Pod)
		if owner != nil && w.acted(entry, was, object, owner) {
			who = history.Implementation
		}
	case *appsv1.DaemonSet:
		was, ok := before.(*appsv1.DaemonSet)
		if ok && !equality.Semantic.DeepEqual(was.Status, object.Status) && len(statusManagers(object)) == 1 {
			who = history.Implementation
		}
	default:
		return nil
	}
	return &history.Author{Who: who}
}

// acted reports whether there is evidence that the DaemonSet's controller created or deleted the pod in this step.
func (w *witness) acted(entry history.Entry, before, pod *corev1.Pod, owner *appsv1.DaemonSet) bool {
	says := func(reason string) bool {
		return slices.ContainsFunc(w.said[claim{owner.UID, reason, pod.Name}], func(at time.Time) bool { return at.Sub(entry.Time).Abs() <= settle })
	}
	switch {
	case before == nil:
		return entry.Type == watch.Added && pod.CreationTimestamp.After(w.start) && (says(created) || madeByStatusManager(pod, owner))
	case before.DeletionTimestamp == nil && (entry.Type == watch.Deleted || pod.DeletionTimestamp != nil):
		return says(deleted)
	}
	return false
}

// madeByStatusManager reports whether the only one who writes the DaemonSet's status made the pod.
func madeByStatusManager(pod *corev1.Pod, owner *appsv1.DaemonSet) bool {
	managers := statusManagers(owner)
	return len(managers) == 1 && slices.ContainsFunc(pod.ManagedFields, func(field metav1.ManagedFieldsEntry) bool {
		return field.Subresource == "" && field.Manager == managers[0]
	})
}

// statusManagers are those who have written the DaemonSet's status.
func statusManagers(ds *appsv1.DaemonSet) []string {
	var managers []string
	for _, field := range ds.ManagedFields {
		if field.Subresource == "status" && !slices.Contains(managers, field.Manager) {
			managers = append(managers, field.Manager)
		}
	}
	return managers
}

// Attribute gives the entries of a recording of `rollcall watch` their authors.
func Attribute(h *history.History) {
	w := newWitness(begun(h.Entries, h.Start))
	for _, entry := range h.Evidence {
		w.hear(entry)
	}
	index := 0
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		var owner *appsv1.DaemonSet
		if pod, ok := change.Object.(*corev1.Pod); ok {
			owner = cluster.OwnerOf(pod)
		}
		h.Entries[index].Author = w.author(change.Entry, change.Before, owner)
		index++
	})
	h.Authors = history.AuthorsInferred
}
