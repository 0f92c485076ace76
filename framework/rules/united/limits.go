package united

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// surging remembers the limits of DaemonSets' rolling updates: a target whose rollouts are suspended keeps those that it had.
type surging struct {
	limits map[types.UID]limits
}

type limits struct {
	now, before *appsv1.RollingUpdateDaemonSet
	changed     time.Time
}

func newSurging() surging { return surging{limits: map[types.UID]limits{}} }

func (o *surging) learn(s *judge.Scene) {
	ds, ok := s.Change.Object.(*appsv1.DaemonSet)
	if !ok || ds.Spec.UpdateStrategy.RollingUpdate == nil {
		return
	}
	known := o.limits[ds.UID]
	now := ds.Spec.UpdateStrategy.RollingUpdate
	if known.now != nil && same(known.now.MaxSurge, now.MaxSurge) && same(known.now.MaxUnavailable, now.MaxUnavailable) {
		return
	}
	o.limits[ds.UID] = limits{now: now, before: known.now, changed: s.Now}
}

func same(a, b *intstr.IntOrString) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// may reports whether the target surges, or did until nobody can be held to know otherwise.
func (o *surging) may(s *judge.Scene, target types.UID) bool {
	return slices.ContainsFunc(o.recent(s, target), surges)
}

// unavailable is how many of that many nodes may be without an available pod at once, by whichever limits the implementation may be acting.
func (o *surging) unavailable(s *judge.Scene, target types.UID, nodes int) int {
	most := 0
	for _, rolling := range o.recent(s, target) {
		if !surges(rolling) {
			most = max(most, 1, scaled(rolling.MaxUnavailable, nodes))
		}
	}
	return most
}

// recent returns the target's limits, and those that it had until less than judge.Lag ago. One that never had any has those of an empty rolling update.
func (o *surging) recent(s *judge.Scene, target types.UID) []*appsv1.RollingUpdateDaemonSet {
	known := o.limits[target]
	if known.now == nil {
		return []*appsv1.RollingUpdateDaemonSet{{}}
	}
	if known.before == nil || !s.Lately(known.changed) {
		return []*appsv1.RollingUpdateDaemonSet{known.now}
	}
	return []*appsv1.RollingUpdateDaemonSet{known.now, known.before}
}

func surges(rolling *appsv1.RollingUpdateDaemonSet) bool { return scaled(rolling.MaxSurge, 1) > 0 }

// scaled is the value in nodes, of that many; 0 if it cannot be read.
func scaled(value *intstr.IntOrString, of int) int {
	if value == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, of, true)
	if err != nil {
		return 0
	}
	return n
}

// eachNode calls do with the names of the nodes that there are.
func eachNode(cluster *history.Cluster, do func(name string)) {
	for name := range cluster.Nodes {
		do(name)
	}
}
