package plan

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// strategy is how a DaemonSet is updated: its update strategy with the limits as numbers of nodes.
type strategy interface {
	// prune leaves in view as many pods as a node may have.
	prune(p *pass, view *nodeView)
	// update decides about the pods that prune left, on nodes that keep theirs. seen are the nodes as they are, kept the same ones in the same order
	// without what this pass deletes already.
	update(p *pass, seen, kept []*nodeView, desired int)
}

// onDelete updates nothing by itself (ONDELETE-001); maxSurge and maxUnavailable are of no account (SURGE-015).
type onDelete struct{}

// rolling updates by deleting first.
type rolling struct{ maxUnavailable int }

// surging updates by creating first. A node may have two pods, even while maxSurge, with no eligible node, is zero.
type surging struct{ maxSurge, maxUnavailable int }

func (onDelete) prune(p *pass, view *nodeView) { p.pruneToOne(view) }
func (rolling) prune(p *pass, view *nodeView)  { p.pruneToOne(view) }
func (surging) prune(p *pass, view *nodeView)  { p.pruneToPair(view) }

func (onDelete) update(p *pass, _, kept []*nodeView, _ int) { p.createMissing(kept) }

// strategyOf scales the limits of ds to desired, the number of eligible nodes. Percentages round up, so that any percentage above zero gives at
// least one (SURGE-003, ROLLING-003). If surge is disabled, maxSurge is zero whatever it says (GATE-002).
func strategyOf(ds *appsv1.DaemonSet, desired int, surgeDisabled bool) (strategy, error) {
	if ds.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return onDelete{}, nil
	}
	surge, unavailable := intstr.FromInt32(0), intstr.FromInt32(1)
	if limits := ds.Spec.UpdateStrategy.RollingUpdate; limits != nil {
		if limits.MaxSurge != nil && !surgeDisabled {
			surge = *limits.MaxSurge
		}
		if limits.MaxUnavailable != nil {
			unavailable = *limits.MaxUnavailable
		}
	}
	maxUnavailable, err := scale("maxUnavailable", unavailable, desired)
	if err != nil {
		return nil, err
	}
	maxSurge, err := scale("maxSurge", surge, desired)
	if err != nil {
		return nil, err
	}
	// Of one node any limit above zero is above zero, also where no node is eligible.
	if ofOne, err := scale("maxSurge", surge, 1); err != nil || ofOne > 0 {
		return surging{maxSurge: maxSurge, maxUnavailable: maxUnavailable}, err
	}
	if maxUnavailable == 0 && desired > 0 {
		// What is left of maxSurge above zero and maxUnavailable 0 when surge is disabled (GATE-003). An API server has both zero for nobody, and
		// standing still for ever would be the worst reading of it.
		maxUnavailable = 1
	}
	return rolling{maxUnavailable: maxUnavailable}, nil
}

func scale(field string, limit intstr.IntOrString, nodes int) (int, error) {
	n, err := intstr.GetScaledValueFromIntOrPercent(&limit, nodes, true)
	if err != nil {
		return 0, fmt.Errorf("spec.updateStrategy.rollingUpdate.%s %q: %w", field, limit.String(), err)
	}
	return n, nil
}
