package situation

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Knob is one of the two limits of a rollout.
type Knob int

// The knobs.
const (
	MaxSurge Knob = iota
	MaxUnavailable
)

// of returns the knob as the DaemonSet has it; nil if it is not set.
func (k Knob) of(w *judge.Workload) *intstr.IntOrString {
	strategy := w.Object.Spec.UpdateStrategy
	switch {
	case strategy.Type == appsv1.OnDeleteDaemonSetStrategyType || strategy.RollingUpdate == nil:
		return nil
	case k == MaxSurge:
		return strategy.RollingUpdate.MaxSurge
	}
	return strategy.RollingUpdate.MaxUnavailable
}

// number is how many nodes the knob allows.
func (k Knob) number(w *judge.Workload) int {
	if k == MaxSurge {
		return w.Settings.Surge
	}
	return w.Settings.Unavailable
}

// percentage reports whether the knob is one, and how many nodes it would be of that number.
func (k Knob) percentage(t judge.Test, nodes int) (number int, is bool) {
	if t.Workload == nil {
		return 0, false
	}
	value := k.of(t.Workload)
	if value == nil || value.Type != intstr.String {
		return 0, false
	}
	number, err := intstr.GetScaledValueFromIntOrPercent(value, nodes, true)
	return number, err == nil
}

// Percentage is with a percentage that is not a whole number of nodes.
func Percentage(k Knob) judge.Situation {
	return of("with a percentage that is not a whole number of nodes", func(t judge.Test) bool {
		if t.Workload == nil {
			return false
		}
		up, is := k.percentage(t, t.Workload.Desired)
		if !is {
			return false
		}
		down, err := intstr.GetScaledValueFromIntOrPercent(k.of(t.Workload), t.Workload.Desired, false)
		return err == nil && up != down
	})
}

// PercentageGrew is with a percentage that comes to more since a node joined during the rollout.
func PercentageGrew(k Knob) judge.Situation {
	return rescaled("with a percentage that comes to more since a node joined during the rollout", k, func(before, now int) bool { return now > before })
}

// PercentageShrank is with a percentage that comes to less since a node went during the rollout.
func PercentageShrank(k Knob) judge.Situation {
	return rescaled("with a percentage that comes to less since a node went during the rollout", k, func(before, now int) bool { return now < before })
}

func rescaled(name string, k Knob, differs func(before, now int) bool) judge.Situation {
	return of(name, func(t judge.Test) bool {
		if t.Workload == nil || !t.Workload.Course().Rollout {
			return false
		}
		before, is := k.percentage(t, t.Workload.Course().Desired)
		return is && differs(before, k.number(t.Workload))
	})
}

// PercentageClosed is with a percentage that would come to more if nodes that are not eligible counted.
func PercentageClosed(k Knob) judge.Situation {
	return of("with a percentage that would come to more if nodes that are not eligible counted", func(t judge.Test) bool {
		if t.Workload == nil {
			return false
		}
		all, is := k.percentage(t, t.Workload.Desired+t.Workload.Having(judge.Closed))
		return is && all > k.number(t.Workload)
	})
}

// Above1 is with a limit of several nodes.
func Above1(k Knob) judge.Situation {
	return of("with a limit above 1", func(t judge.Test) bool { return t.Workload != nil && k.number(t.Workload) > 1 })
}

// SurgeUsedUp is when maxSurge is used up: for what takes something of it, by this act.
func SurgeUsedUp() judge.Situation {
	return of("with maxSurge used up", func(t judge.Test) bool {
		if t.Workload == nil || !t.Workload.Settings.Surging {
			return false
		}
		surging := t.Workload.Having(judge.Surging)
		return surging > 0 && surging >= t.Workload.Settings.Surge
	})
}

// UnavailableUsedUp is when the act uses maxUnavailable up.
func UnavailableUsedUp() judge.Situation {
	return of("with maxUnavailable used up", func(t judge.Test) bool {
		return t.Workload != nil && t.Workload.Settings.Yielding && len(t.Unserved(t.Workload)) >= t.Workload.Settings.Unavailable
	})
}
