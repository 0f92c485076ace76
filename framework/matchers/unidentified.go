package matchers

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// PodUnidentified happens when a pod of a DaemonSet has been there for judge.Lag, and in all that time no ControllerRevision of the DaemonSet had the
// pod's value of the revision label: at its creation, or later in its life (API-020).
func PodUnidentified() Event {
	return lasting("pod without the revision label of a ControllerRevision", func(label string, cluster *history.Cluster, uid types.UID) history.Object {
		pod := cluster.Pods[uid]
		if pod == nil {
			return nil
		}
		owner := cluster.OwnerOf(pod)
		if owner == nil || owner.DeletionTimestamp != nil {
			return nil
		}
		value := pod.Labels[label]
		for _, revision := range cluster.Revisions {
			if value != "" && revision.Labels[label] == value && metav1.IsControlledBy(revision, owner) {
				return nil
			}
		}
		return pod
	})
}

// RevisionUnidentified happens when a ControllerRevision of a DaemonSet has been there for judge.Lag, and in all that time it had no revision label or
// that of another one of the DaemonSet (API-020).
func RevisionUnidentified() Event {
	return lasting("ControllerRevision without a revision label of its own", func(label string, cluster *history.Cluster, uid types.UID) history.Object {
		revision := cluster.Revisions[uid]
		if revision == nil {
			return nil
		}
		owner := metav1.GetControllerOf(revision)
		if owner == nil || cluster.DaemonSets[owner.UID] == nil || cluster.DaemonSets[owner.UID].DeletionTimestamp != nil {
			return nil
		}
		if revision.Labels[label] == "" {
			return revision
		}
		for _, other := range cluster.Revisions {
			if other.UID != uid && other.Labels[label] == revision.Labels[label] && metav1.IsControlledBy(other, cluster.DaemonSets[owner.UID]) {
				return revision
			}
		}
		return nil
	})
}

// lasting makes an event of something wrong with an object that lasts for judge.Lag. is returns the object while it is wrong, nil while not.
func lasting(text string, is func(label string, cluster *history.Cluster, uid types.UID) history.Object) Event {
	return eventOf(text, &leaf{follow: func(h *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		l := lastingWrong{h: h, is: is, emit: emit, wrong: map[types.UID]*wrongSince{}}
		return l.step
	}})
}

// lastingWrong follows since when which objects have been wrong.
type lastingWrong struct {
	is    func(string, *history.Cluster, types.UID) history.Object
	h     *history.History
	emit  func(Moment)
	index int
	wrong map[types.UID]*wrongSince
}

// wrongSince is an object that is wrong, as it was when it was last seen.
type wrongSince struct {
	object history.Object
	since  time.Time
	// said: the event has happened.
	said bool
}

func (l *lastingWrong) step(cluster *history.Cluster, change history.Change) {
	// What the change puts right was wrong until now.
	for _, uid := range l.ripe(cluster.Time) {
		object := l.wrong[uid].object
		l.wrong[uid].said = true
		entry := history.Entry{ResourceVersion: change.ResourceVersion, Received: change.Received, Time: change.Time, Type: watch.Modified, Object: object}
		entry.Kind = history.KindPod
		if _, isPod := object.(*corev1.Pod); !isPod {
			entry.Kind = history.KindControllerRevision
		}
		l.emit(Moment{Occurrence: Occurrence{Change: history.Change{Entry: entry, Before: object}, At: change.Time, index: l.index}, cluster: cluster})
	}
	switch change.Kind {
	case history.KindPod:
		l.look(cluster, change.Object.GetUID())
	case history.KindControllerRevision, history.KindDaemonSet:
		for uid := range cluster.Pods {
			l.look(cluster, uid)
		}
		for uid := range cluster.Revisions {
			l.look(cluster, uid)
		}
		l.look(cluster, change.Object.GetUID())
	}
	l.index++
}

// look notes whether the object is wrong now.
func (l *lastingWrong) look(cluster *history.Cluster, uid types.UID) {
	object := l.is(l.h.RevisionLabel, cluster, uid)
	switch {
	case object == nil:
		delete(l.wrong, uid)
	case l.wrong[uid] == nil:
		l.wrong[uid] = &wrongSince{object: object, since: cluster.Time}
	default:
		l.wrong[uid].object = object
	}
}

// ripe are the objects that have been wrong for long enough, in the order of their identity, each once.
func (l *lastingWrong) ripe(now time.Time) []types.UID {
	var ripe []types.UID
	for uid, wrong := range l.wrong {
		if !wrong.said && !now.Before(l.h.Due(wrong.since, judge.Lag)) {
			ripe = append(ripe, uid)
		}
	}
	slices.Sort(ripe)
	return ripe
}
