package simulation

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// seeing is the planner shown another state than there is.
func seeing(change func(*plan.State, time.Time)) planner {
	return func(state plan.State, now time.Time) plan.Actions {
		change(&state, now)
		return plan.Plan(state, now)
	}
}

// seeingSpec is the planner shown another spec than there is.
func seeingSpec(change func(*appsv1.DaemonSetSpec, plan.State)) planner {
	return seeing(func(state *plan.State, _ time.Time) {
		ds := state.DaemonSet.DeepCopy()
		change(&ds.Spec, *state)
		state.DaemonSet = ds
	})
}

// doing is the planner whose answer is changed.
func doing(change func(*plan.Actions, plan.State, time.Time)) planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := plan.Plan(state, now)
		change(&actions, state, now)
		return actions
	}
}

// reporting is the planner whose status is changed.
func reporting(change func(*appsv1.DaemonSetStatus)) planner {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if actions.Status == nil {
			actions.Status = state.DaemonSet.Status.DeepCopy()
		}
		change(actions.Status)
	})
}

// its returns the DaemonSet's live pods on a node.
func its(state plan.State, node string) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range state.Pods {
		ended := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
		if metav1.IsControlledBy(pod, state.DaemonSet) && plan.TargetNode(pod) == node && pod.DeletionTimestamp == nil && !ended {
			pods = append(pods, pod)
		}
	}
	return pods
}

// deletesFirst makes room for every pod that it should have created beside another.
func deletesFirst(actions *plan.Actions, state plan.State, _ time.Time) {
	var kept []plan.PodCreation
	for _, creation := range actions.CreatePods {
		beside := its(state, creation.Node)
		if creation.Reason != plan.ReasonSurge || len(beside) == 0 {
			kept = append(kept, creation)
			continue
		}
		for _, pod := range beside {
			actions.DeletePods = append(actions.DeletePods, plan.PodDeletion{Pod: pod, Node: creation.Node, Reason: plan.ReasonOutdated})
		}
	}
	actions.CreatePods = kept
}

// handsOverTooSoon deletes an old pod once an updated one exists, available or not.
func handsOverTooSoon(actions *plan.Actions, state plan.State, _ time.Time) {
	for _, node := range state.Nodes {
		pods := its(state, node.Name)
		isUpdated := func(pod *corev1.Pod) bool {
			return pod.Labels[plan.GenerationLabel] == state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
		}
		if state.AwaitingOwnWrites || !slices.ContainsFunc(pods, isUpdated) {
			continue
		}
		for _, pod := range pods {
			if !isUpdated(pod) && plan.IsReady(pod) {
				actions.DeletePods = append(actions.DeletePods, plan.PodDeletion{Pod: pod, Node: node.Name, Reason: plan.ReasonReplaced})
			}
		}
	}
}

// scale returns the limit as a number of nodes, rounded up or down.
func scale(limit *intstr.IntOrString, nodes int, up bool) int {
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, nodes, up)
	if err != nil {
		panic(err)
	}
	return n
}

// setLimits makes both limits numbers of nodes, made by of from the limit and the number of eligible nodes.
func setLimits(spec *appsv1.DaemonSetSpec, state plan.State, of func(limit *intstr.IntOrString, eligible int) int) {
	if spec.UpdateStrategy.RollingUpdate == nil {
		return
	}
	eligible := 0
	for _, node := range state.Nodes {
		if runs, _ := plan.Eligibility(state.DaemonSet, node); runs {
			eligible++
		}
	}
	rolling := spec.UpdateStrategy.RollingUpdate
	for _, limit := range []**intstr.IntOrString{&rolling.MaxSurge, &rolling.MaxUnavailable} {
		if scale(*limit, 100, true) > 0 {
			number := intstr.FromInt32(int32(of(*limit, eligible)))
			*limit = &number
		}
	}
}

// withoutPods hides pods from the state.
func withoutPods(state *plan.State, hidden func(*corev1.Pod) bool) {
	state.Pods = slices.DeleteFunc(slices.Clone(state.Pods), hidden)
}

// withoutDeletions drops the deletions made for a reason.
func withoutDeletions(actions *plan.Actions, reason plan.Reason) {
	actions.DeletePods = slices.DeleteFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Reason == reason })
}

// withoutCreations drops the creations that match.
func withoutCreations(actions *plan.Actions, dropped func(plan.PodCreation) bool) {
	actions.CreatePods = slices.DeleteFunc(actions.CreatePods, dropped)
}

// on returns the DaemonSet's pods on a node, whatever becomes of them.
func on(state plan.State, node string) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range state.Pods {
		if metav1.IsControlledBy(pod, state.DaemonSet) && plan.TargetNode(pod) == node {
			pods = append(pods, pod)
		}
	}
	return pods
}

// someRun reports whether the DaemonSet has pods at all: a planner that never creates one shows nothing.
func someRun(state plan.State) bool {
	return slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return metav1.IsControlledBy(pod, state.DaemonSet) })
}
