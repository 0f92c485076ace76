// Package surge has the specs of rolling updates with maxSurge: updated pods come first, and an old one goes when the updated one on its node is
// available.
package surge

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// Specs registers the family.
func Specs() {
	rollout()
	unreadyAtRest()
	limit()
	percentages()
	beyond()
	fill()
	unavailable()
	ineligible()
	cordoned()
	tolerations()
	changes()
	young()
	ended()
	strategy()
	duplicates()
	restraint()
	refused()
	unavailability()
	released()
}

// besideOld is the creation of an updated pod on a node that has a live one already: it takes something of maxSurge.
func besideOld() Event {
	return PodCreated(OfVersion("v2")).BesideLivePod()
}

// availableDeleted is the deletion of a pod of the version that was available until then.
func availableDeleted(version string) Event {
	return PodDeleted(OfVersion(version)).Where("available", Moment.WasAvailable)
}

// handOverDue happens when an updated pod of the version becomes available beside another live pod: that one is to go.
func handOverDue(version string) Event {
	return PodAvailable(OfVersion(version)).BesideLivePod()
}

// handedOver holds when that many nodes have a Ready updated pod and no other.
func handedOver(daemonSet *appsv1.DaemonSet, count int) Condition {
	return state.When(fmt.Sprintf("%d nodes have a Ready updated pod and no other", count), func(cluster *history.Cluster) bool {
		done := 0
		for _, pod := range cluster.UpdatedPods(daemonSet) {
			if history.IsReady(pod) && len(cluster.PodsOn(daemonSet.UID, history.NodeOf(pod))) == 1 {
				done++
			}
		}
		return done >= count
	})
}
