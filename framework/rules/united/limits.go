package united

import (
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
	return o.largest(s, target, func(rolling *appsv1.RollingUpdateDaemonSet) *intstr.IntOrString { return rolling.MaxSurge }, 1) > 0
}

// unavailable is how many of that many nodes may be without an available pod at once.
func (o *surging) unavailable(s *judge.Scene, target types.UID, nodes int) int {
	if o.may(s, target) {
		return 0
	}
	return max(1, o.largest(s, target, func(rolling *appsv1.RollingUpdateDaemonSet) *intstr.IntOrString { return rolling.MaxUnavailable }, nodes))
}

func (o *surging) largest(s *judge.Scene, target types.UID, field func(*appsv1.RollingUpdateDaemonSet) *intstr.IntOrString, of int) int {
	known := o.limits[target]
	all := []*appsv1.RollingUpdateDaemonSet{known.now}
	if s.Now.Sub(known.changed) < judge.Lag {
		all = append(all, known.before)
	}
	most := 0
	for _, rolling := range all {
		if rolling == nil || field(rolling) == nil {
			continue
		}
		if scaled, err := intstr.GetScaledValueFromIntOrPercent(field(rolling), of, true); err == nil {
			most = max(most, scaled)
		}
	}
	return most
}

// eachNode calls do with the names of the nodes that there are.
func eachNode(cluster *history.Cluster, do func(name string)) {
	for name := range cluster.Nodes {
		do(name)
	}
}
