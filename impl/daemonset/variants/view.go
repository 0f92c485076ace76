package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// node is a node with the DaemonSet's pods on it.
type node struct {
	name     string
	object   *corev1.Node
	eligible bool
	// olds and news run or are about to; leaving are on their way out; ended have failed or succeeded.
	olds, news, leaving, ended []*corev1.Pod
}

// nodes sorts the DaemonSet's pods onto the nodes, in the order of the state's nodes.
func nodes(state plan.State) []*node {
	isUpdated := updated(state)
	byName := map[string]*node{}
	var all []*node
	for _, each := range state.Nodes {
		eligible, _ := plan.Eligibility(state.DaemonSet, each)
		byName[each.Name] = &node{name: each.Name, object: each, eligible: eligible}
		all = append(all, byName[each.Name])
	}
	for _, pod := range state.Pods {
		on := byName[plan.TargetNode(pod)]
		if on == nil || !metav1.IsControlledBy(pod, state.DaemonSet) {
			continue
		}
		switch {
		case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
			on.ended = append(on.ended, pod)
		case pod.DeletionTimestamp != nil:
			on.leaving = append(on.leaving, pod)
		case isUpdated(pod):
			on.news = append(on.news, pod)
		default:
			on.olds = append(on.olds, pod)
		}
	}
	return all
}

// updated returns a function that reports whether a pod is of the current template.
func updated(state plan.State) func(*corev1.Pod) bool {
	ds := state.DaemonSet
	hash, generation := plan.TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount), ds.Annotations[appsv1.DeprecatedTemplateGeneration]
	return func(pod *corev1.Pod) bool {
		return pod.Labels[plan.HashLabel] == hash || generation != "" && pod.Labels[plan.GenerationLabel] == generation
	}
}

// available reports whether one of the pods is available.
func available(state plan.State, pods []*corev1.Pod, now time.Time) bool {
	return slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return plan.IsAvailable(pod, state.DaemonSet.Spec.MinReadySeconds, now) })
}

// surging are the nodes with an available old pod and an updated one that is not available.
func surging(state plan.State, now time.Time) []*node {
	return slices.DeleteFunc(nodes(state), func(n *node) bool { return !n.surges(state, now) })
}

// howMany counts the nodes that are so.
func howMany(all []*node, so func(*node) bool) int {
	number := 0
	for _, n := range all {
		if so(n) {
			number++
		}
	}
	return number
}

// lenient raises a limit by the number of nodes that it leaves out.
func lenient(which limit, out func(n *node, state plan.State, now time.Time) bool) Around {
	return limiting(which, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
		return scaled(value, eligibleNodes(state), true) + howMany(nodes(state), func(n *node) bool { return out(n, state, now) })
	})
}

// surges reports whether the node has an available old pod and an updated one that is not available.
func (n *node) surges(state plan.State, now time.Time) bool {
	return available(state, n.olds, now) && len(n.news) > 0 && !available(state, n.news, now)
}

// unavailable reports whether the node should have an available pod and has none.
func (n *node) unavailable(state plan.State, now time.Time) bool {
	return n.eligible && !available(state, n.olds, now) && !available(state, n.news, now)
}

// maySurge reports whether the DaemonSet has a rolling update with a maxSurge above zero that is not ignored.
func maySurge(state plan.State) bool { return !state.SurgeDisabled && limitOf(state, maxSurge) > 0 }

// A limit is one of the two of a rolling update.
type limit func(*appsv1.RollingUpdateDaemonSet) **intstr.IntOrString

func maxSurge(r *appsv1.RollingUpdateDaemonSet) **intstr.IntOrString       { return &r.MaxSurge }
func maxUnavailable(r *appsv1.RollingUpdateDaemonSet) **intstr.IntOrString { return &r.MaxUnavailable }

// eligibleNodes counts the nodes that should run a pod.
func eligibleNodes(state plan.State) int {
	count := 0
	for _, each := range state.Nodes {
		if eligible, _ := plan.Eligibility(state.DaemonSet, each); eligible {
			count++
		}
	}
	return count
}

// scaled returns the value as a number of nodes; a value that no API server stores is none.
func scaled(value *intstr.IntOrString, nodes int, up bool) int {
	if value == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, nodes, up)
	if err != nil {
		return 0
	}
	return n
}

// limitOf returns the limit as a number of nodes; zero with another strategy than RollingUpdate.
func limitOf(state plan.State, which limit) int {
	rolling := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate
	if state.DaemonSet.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType || rolling == nil {
		return 0
	}
	return scaled(*which(rolling), eligibleNodes(state), true)
}

// roomOf returns how many more nodes maxUnavailable lets be without an available pod; below zero if too many are.
func roomOf(state plan.State, now time.Time) int {
	room := limitOf(state, maxUnavailable)
	for _, n := range nodes(state) {
		if n.eligible && !available(state, append(n.olds, n.news...), now) {
			room--
		}
	}
	return room
}

// limiting replaces a limit that is not zero by a number of nodes.
func limiting(which limit, number func(value *intstr.IntOrString, state plan.State, now time.Time) int) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, now time.Time) {
		rolling := spec.UpdateStrategy.RollingUpdate
		if rolling == nil || scaled(*which(rolling), 100, true) == 0 {
			return
		}
		value := intstr.FromInt(number(*which(rolling), state, now))
		*which(rolling) = &value
	})
}

// unlessWritten returns the status if it has to be written.
func unlessWritten(state plan.State, status *appsv1.DaemonSetStatus) *appsv1.DaemonSetStatus {
	if apiequality.Semantic.DeepEqual(*status, state.DaemonSet.Status) {
		return nil
	}
	return status
}

// ready returns the pod's Ready condition, or nil.
func ready(pod *corev1.Pod) *corev1.PodCondition { return condition(pod, corev1.PodReady) }

func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// setReady makes the pod one that is Ready since then.
func setReady(pod *corev1.Pod, since time.Time) {
	condition := ready(pod)
	if condition == nil {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady})
		condition = &pod.Status.Conditions[len(pod.Status.Conditions)-1]
	}
	condition.Status, condition.LastTransitionTime = corev1.ConditionTrue, metav1.NewTime(since)
}

func every(*corev1.Pod) bool { return true }
