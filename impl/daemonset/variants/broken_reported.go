package variants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// brokenReported have defects that were reported of other controllers. They are right about what this controller makes itself, and about lists that are in order.
func brokenReported() []Variant {
	return []Variant{
		{Name: "hears-of-pods-of-its-own-version", Says: "Takes no notice of a pod whose owner reference has another version of the API until something else changes.",
			Breaks: []string{"ROLLING-001"}, Planner: remember(hearOfOwnVersion)},
		{Name: "waits-for-the-name-of-the-image", Says: "Takes a patched pod for Ready only once its kubelet names the images as the pod does.",
			Breaks: []string{"INPLACE-026"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				misnamed := func(pod *corev1.Pod) bool {
					return pod.Annotations[inplace.Record] != "" && plan.IsReady(pod) && !namesImages(pod)
				}
				changePods(state, misnamed, func(pod *corev1.Pod) { ready(pod).Status = corev1.ConditionFalse })
			})},
		{Name: "recreates-pods-with-injected-containers", Says: "Recreates pods that have more containers than the template, although nothing but its images changes.",
			Breaks: []string{"INPLACE-003"},
			Planner: deleteInstead(func(state plan.State, update plan.PodUpdate) bool {
				return len(update.Pod.Spec.Containers) > len(state.DaemonSet.Spec.Template.Spec.Containers)
			})},
		{Name: "sorts-what-the-template-lists",
			Says:   "Sorts the values of the template's node affinity in its cache when it first looks at a DaemonSet, and takes what is there afterwards for another template.",
			Breaks: []string{"HISTORY-001"}, Planner: remember(sortInCache)},
	}
}

// lastLook is what there was when something was last noticed, and when the clock alone is a reason to look again.
type lastLook struct {
	wakes string
	// former: there were pods of another version.
	former bool
	due    time.Time
}

// hearOfOwnVersion does nothing in a pass that nothing but pods of another version gave rise to.
func hearOfOwnVersion(m *memory[lastLook]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			last, former, wakes := m.of(state), slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool { return ofAnotherVersion(state, pod) }), whatIsHeard(state)
			var actions plan.Actions
			if (former || last.former) && last.wakes == wakes && (last.due.IsZero() || now.Before(last.due)) {
				comeBack(&actions, last.due.Sub(now))
				return actions
			}
			actions = next(state, now)
			if !state.AwaitingOwnWrites {
				*last = lastLook{wakes: wakes, former: former}
				if actions.RequeueAfter > 0 {
					last.due = now.Add(actions.RequeueAfter)
				}
			}
			return actions
		}
	}
}

// ofAnotherVersion reports whether the DaemonSet controls the pod, by a reference with another version of its API.
func ofAnotherVersion(state plan.State, pod *corev1.Pod) bool {
	controller := metav1.GetControllerOfNoCopy(pod)
	return controller != nil && controller.UID == state.DaemonSet.UID && controller.APIVersion != plan.ControllerKind(state.DaemonSet).GroupVersion().String()
}

// whatIsHeard is all that a planner is asked for, in its version, without the pods of another version of the API.
func whatIsHeard(state plan.State) string {
	words := []string{state.DaemonSet.ResourceVersion}
	for _, pod := range state.Pods {
		if !ofAnotherVersion(state, pod) {
			words = append(words, fmt.Sprint(pod.UID, pod.ResourceVersion))
		}
	}
	for _, revision := range state.Revisions {
		words = append(words, fmt.Sprint(revision.UID, revision.ResourceVersion))
	}
	for _, node := range state.Nodes {
		words = append(words, fmt.Sprint(node.UID, node.Labels, node.Spec.Taints))
	}
	// A cache has no order.
	slices.Sort(words)
	return strings.Join(words, " ")
}

// namesImages reports whether the status of every container names the image that the pod asks for.
func namesImages(pod *corev1.Pod) bool {
	return !slices.ContainsFunc(pod.Spec.Containers, func(container corev1.Container) bool {
		status := statusOf(pod, container.Name)
		return status == nil || status.Image != container.Image
	})
}

// sortInCache has the planner see a DaemonSet as it was read the first time, and its node affinity in order each time after that, until another version is read.
func sortInCache(m *memory[string]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		if read := m.of(*state); *read != state.DaemonSet.ResourceVersion {
			*read = state.DaemonSet.ResourceVersion
			return
		}
		state.DaemonSet = state.DaemonSet.DeepCopy()
		affinity := state.DaemonSet.Spec.Template.Spec.Affinity
		if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
			return
		}
		for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, expression := range term.MatchExpressions {
				slices.Sort(expression.Values)
			}
		}
	})
}
