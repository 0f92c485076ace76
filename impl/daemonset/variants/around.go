package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// seeing is the planner shown another state than there is. What the state points to is shared: change must copy what it changes.
func seeing(change func(state *plan.State, now time.Time)) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			change(&state, now)
			return next(state, now)
		}
	}
}

// seeingSpec is the planner shown another spec than there is. The spec is a copy, the state the true one.
func seeingSpec(change func(spec *appsv1.DaemonSetSpec, state plan.State, now time.Time)) Around {
	return seeing(func(state *plan.State, now time.Time) {
		ds := state.DaemonSet.DeepCopy()
		change(&ds.Spec, *state, now)
		state.DaemonSet = ds
	})
}

// deciding is the planner that decides about pods on another state than there is, and reports the true one.
func deciding(change func(state *plan.State, now time.Time)) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			if actions.Err != nil {
				return actions
			}
			change(&state, now)
			decided := next(state, now)
			actions.DeletePods, actions.UpdatePods, actions.CreatePods = decided.DeletePods, decided.UpdatePods, decided.CreatePods
			actions.Backoff, actions.Events = decided.Backoff, decided.Events
			comeBack(&actions, decided.RequeueAfter)
			return actions
		}
	}
}

// doing is the planner whose answer is changed.
func doing(change func(actions *plan.Actions, state plan.State, now time.Time)) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			if actions.Err == nil && state.DaemonSet.DeletionTimestamp == nil {
				change(&actions, state, now)
			}
			return actions
		}
	}
}

// reporting is the planner whose status is changed. It is written only if it is not the one that the DaemonSet has.
func reporting(change func(status *appsv1.DaemonSetStatus, state plan.State, now time.Time)) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		status := actions.Status
		if status == nil {
			status = state.DaemonSet.Status.DeepCopy()
		}
		change(status, state, now)
		actions.Status = unlessWritten(state, status)
	})
}

// remembering is a planner that begins with a memory of its own in every process, with the parts that do not change.
func remembering(parts func() Around) Around {
	return func(next plan.Planner) plan.Planner { return parts()(next) }
}

// both is the planner that sees other things and does other things.
func both(outer, inner Around) Around {
	return func(next plan.Planner) plan.Planner { return outer(inner(next)) }
}

// comeBack asks for another pass after wait at the latest; zero or less asks for nothing.
func comeBack(actions *plan.Actions, wait time.Duration) {
	if wait > 0 && (actions.RequeueAfter == 0 || wait < actions.RequeueAfter) {
		actions.RequeueAfter = wait
	}
}

// changePods replaces the pods that which selects by changed copies.
func changePods(state *plan.State, which func(*corev1.Pod) bool, change func(*corev1.Pod)) {
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		if which(pod) {
			state.Pods[i] = pod.DeepCopy()
			change(state.Pods[i])
		}
	}
}

// withoutPods hides pods.
func withoutPods(state *plan.State, hidden func(*corev1.Pod) bool) {
	state.Pods = slices.DeleteFunc(slices.Clone(state.Pods), hidden)
}

// withoutNodes hides nodes. Their pods stay, which count nowhere then.
func withoutNodes(state *plan.State, hidden func(name string) bool) {
	state.Nodes = slices.DeleteFunc(slices.Clone(state.Nodes), func(node *corev1.Node) bool { return hidden(node.Name) })
}

// withoutDeletions drops deletions of pods.
func withoutDeletions(actions *plan.Actions, dropped func(plan.PodDeletion) bool) {
	actions.DeletePods = slices.DeleteFunc(slices.Clone(actions.DeletePods), dropped)
}

// withoutCreations drops creations of pods.
func withoutCreations(actions *plan.Actions, dropped func(plan.PodCreation) bool) {
	actions.CreatePods = slices.DeleteFunc(slices.Clone(actions.CreatePods), dropped)
}

// remove deletes a pod that the plan does not delete yet, and drops what the plan creates on its node.
func remove(actions *plan.Actions, pod *corev1.Pod, reason plan.Reason) {
	if slices.ContainsFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Pod.UID == pod.UID }) {
		return
	}
	node := plan.TargetNode(pod)
	actions.DeletePods = append(slices.Clone(actions.DeletePods), plan.PodDeletion{Pod: pod, Node: node, Reason: reason})
	withoutCreations(actions, func(c plan.PodCreation) bool { return c.Node == node })
}
