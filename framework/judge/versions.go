package judge

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// versions are those of an object that somebody may still take for the newest, the newest itself left out.
type versions[T any] []superseded[T]

type superseded[T any] struct {
	object T
	at     time.Time
}

// supersede takes note that the object has a newer version now.
func (v *versions[T]) supersede(object T, now time.Time, news *news) {
	*v = append(slices.DeleteFunc(*v, func(past superseded[T]) bool { return !news.lately(past.at, now) }), superseded[T]{object, now})
}

// anyRecent reports whether any version was the newest until less than Lag ago.
func (v versions[T]) anyRecent(now time.Time, news *news) bool {
	return slices.ContainsFunc(v, func(past superseded[T]) bool { return news.lately(past.at, now) })
}

// with returns the newest and those that were it until less than Lag ago.
func (v versions[T]) with(newest T, now time.Time, news *news) []T {
	all := []T{newest}
	for _, past := range v {
		if news.lately(past.at, now) {
			all = append(all, past.object)
		}
	}
	return all
}

// mixedUp, of versions of a DaemonSet and of a node, the newest first, reports whether somebody who has not heard of everything yet can think otherwise of a node's eligibility, though neither change alone says so: watches
// of nodes and of DaemonSets are not equally late, so that a newer template may be seen beside an older node, or the other way round.
func mixedUp(daemonSets []*appsv1.DaemonSet, nodes []*corev1.Node, eligible bool) bool {
	if len(daemonSets) < 2 || len(nodes) < 2 {
		return false
	}
	for _, daemonSet := range daemonSets {
		for _, node := range nodes {
			if history.EligibilityOf(daemonSet, node).ShouldRun != eligible {
				return true
			}
		}
	}
	return false
}
