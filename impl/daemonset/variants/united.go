package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// aroundUnited wraps a planner of UnitedDaemonSets.
type aroundUnited func(next plan.Planner) plan.Planner

// uniting changes what is to be done.
func uniting(change func(actions *plan.Actions, state plan.State)) aroundUnited {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			change(&actions, state)
			return actions
		}
	}
}

// seeingUnited has the planner see another UnitedDaemonSet than there is.
func seeingUnited(change func(united *api.UnitedDaemonSet)) aroundUnited {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			state.United = state.United.DeepCopy()
			change(state.United)
			return next(state, now)
		}
	}
}

// movingAs plans moves for another state than there is, and everything else for the one there is.
func movingAs(change func(state *plan.State)) aroundUnited {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			change(&state)
			actions.LabelNodes = next(state, now).LabelNodes
			return actions
		}
	}
}

// withStrategy has the target be seen with another strategy.
func withStrategy(surge, unavailable string) func(state *plan.State) {
	return func(state *plan.State) {
		state.DaemonSets = slices.Clone(state.DaemonSets)
		for i, ds := range state.DaemonSets {
			if ds.Name != state.United.Spec.TargetRef.Name {
				continue
			}
			maxSurge, maxUnavailable := intstr.Parse(surge), intstr.Parse(unavailable)
			ds = ds.DeepCopy()
			delete(ds.Annotations, plan.StrategyAnnotation)
			ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
				Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &maxSurge, MaxUnavailable: &maxUnavailable},
			}
			state.DaemonSets[i] = ds
		}
	}
}

// withoutCondition takes a condition out of the status that is to be written.
func withoutCondition(kind string) aroundUnited {
	return uniting(func(actions *plan.Actions, _ plan.State) {
		if actions.Status != nil {
			actions.Status.Conditions = slices.DeleteFunc(actions.Status.Conditions, func(condition metav1.Condition) bool { return condition.Type == kind })
		}
	})
}

// writing changes the DaemonSets of subsets, and the target, as they are to be written.
func writing(change func(ds *appsv1.DaemonSet, target bool)) aroundUnited {
	return uniting(func(actions *plan.Actions, _ plan.State) {
		for i := range actions.Subsets {
			ds := actions.Subsets[i].DaemonSet.DeepCopy()
			change(ds, false)
			actions.Subsets[i].DaemonSet = ds
		}
		if actions.UpdateTarget != nil {
			change(actions.UpdateTarget, true)
		}
	})
}

// homes returns the keys of the family's node labels.
func homes(state plan.State) plan.Keys {
	return plan.KeysOf(state.United.Namespace, state.United.Spec.TargetRef.Name)
}

// blind has the planner see another state than there is.
func blind(next plan.Planner, change func(state *plan.State)) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		change(&state)
		return next(state, now)
	}
}

func raw(json string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(json)} }

// unready reports whether no pod on the node is Ready: it is new, or moving.
func unready(state plan.State, node string) bool {
	return !slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return daemons.TargetNode(pod) == node && daemons.IsReady(pod) })
}
