package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenRecollections go wrong where one feature crosses another's way, by what they saw before.
func brokenRecollections() []Variant {
	return []Variant{
		{Name: "begins-with-the-numbers-of-the-status", Says: "Takes, for the first pods that its process deletes, the number of unavailable nodes from the status that it found when it began.",
			Breaks: []string{"ROLLING-002"}, Planner: remember(countAsFound)},
		{Name: "on-delete-brings-failed-pods-back-as-they-were", Says: "With the OnDelete strategy, creates a pod in the place of one that failed by the template that this was of.",
			Breaks: []string{"API-021"}, Planner: remember(bringBack)},
		{Name: "a-node-that-left-is-out-of-the-rollout", Says: "Updates no pod in the rest of a rollout on a node that was ineligible during it, though it is eligible again.",
			Breaks: []string{"ROLLING-001"}, Planner: remember(leaveOutLeft)},
		{Name: "a-rollout-that-on-delete-stopped-stays-stopped", Says: "Does not go on with a rollout when the strategy has been OnDelete in the middle of it and is RollingUpdate again.",
			Breaks: []string{"ROLLING-017"}, Planner: remember(stayStopped)},
		{Name: "a-lapse-into-unknown-is-none", Says: "Lets minReadySeconds run on while the Ready condition of a pod is Unknown, once it is True again.",
			Breaks: []string{"AVAIL-004", "SURGE-006"}, Planner: remember(overlookUnknown)},
	}
}

// found is what the status said when the process began.
type found struct {
	begun, acted bool
	unavailable  int
}

func countAsFound(m *memory[found]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			first := m.of(state)
			if !first.begun {
				first.begun, first.unavailable = true, int(state.DaemonSet.Status.NumberUnavailable)
			}
			actions := next(state, now)
			if first.acted || state.AwaitingOwnWrites || actions.CreateRevision != nil || actions.Err != nil || maySurge(state) {
				return actions
			}
			first.acted = true
			more := howMany(nodes(state), func(n *node) bool { return n.unavailable(state, now) }) - first.unavailable
			if more <= 0 {
				return actions
			}
			return limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return scaled(value, eligibleNodes(state), true) + more
			})(next)(state, now)
		}
	}
}

// buried are, by node, the labels of the outdated pods that ended there last.
type buried map[string]map[string]string

func bringBack(m *memory[buried]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		last := m.of(state)
		if state.DaemonSet.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
			*last = nil
			return
		}
		if *last == nil {
			*last = buried{}
		}
		for _, n := range nodes(state) {
			if len(n.olds)+len(n.news) > 0 {
				delete(*last, n.name)
			}
		}
		isUpdated := updated(state)
		for _, d := range actions.DeletePods {
			if d.Reason == plan.ReasonFailed && !isUpdated(d.Pod) {
				(*last)[d.Node] = d.Pod.Labels
			}
		}
		creations := make([]plan.PodCreation, len(actions.CreatePods))
		for i, creation := range actions.CreatePods {
			if labels := (*last)[creation.Node]; labels != nil {
				creation = byHistory(creation, state, labels)
			}
			creations[i] = creation
		}
		actions.CreatePods = creations
	})
}

// byHistory is the creation by the template of the history that the labels of a pod name; the same creation if there is none.
func byHistory(creation plan.PodCreation, state plan.State, labels map[string]string) plan.PodCreation {
	hash := labels[plan.HashLabel]
	for _, revision := range state.Revisions {
		template := plan.StoredTemplate(revision)
		if hash == "" || revision.Labels[plan.HashLabel] != hash || template == nil {
			continue
		}
		ds := state.DaemonSet.DeepCopy()
		ds.Spec.Template = *template.DeepCopy()
		if ds.Annotations == nil {
			ds.Annotations = map[string]string{}
		}
		ds.Annotations[appsv1.DeprecatedTemplateGeneration] = labels[plan.GenerationLabel]
		creation.Hash, creation.Pod = hash, plan.NewPod(ds, hash, creation.Node)
	}
	return creation
}

// course is how the rollout of a template went.
type course struct {
	hash string
	left sets.Set[string]
	// begun: there were old pods under RollingUpdate; stopped: and later under OnDelete.
	begun, stopped bool
}

// of returns the course of the rollout of the current template.
func (c *course) of(state plan.State) *course {
	if hash := plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount); c.hash != hash {
		*c = course{hash: hash, left: sets.New[string]()}
	}
	return c
}

func leaveOutLeft(m *memory[course]) Around {
	return deciding(func(state *plan.State, now time.Time) {
		rollout := m.of(*state).of(*state)
		for _, n := range nodes(*state) {
			if !n.eligible && len(n.olds) > 0 {
				rollout.left.Insert(n.name)
			}
		}
		passForUpdated(state, now, func(n *node) bool { return n.eligible && rollout.left.Has(n.name) })
	})
}

func stayStopped(m *memory[course]) Around {
	return deciding(func(state *plan.State, now time.Time) {
		rollout := m.of(*state).of(*state)
		rolls := state.DaemonSet.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType
		if howMany(nodes(*state), func(n *node) bool { return n.eligible && len(n.olds) > 0 }) > 0 {
			rollout.begun, rollout.stopped = rollout.begun || rolls, rollout.stopped || rollout.begun && !rolls
		}
		if rolls && rollout.stopped {
			passForUpdated(state, now, func(n *node) bool { return n.eligible })
		}
	})
}

// passForUpdated has available old pods pass for updated ones on nodes that which selects.
func passForUpdated(state *plan.State, now time.Time, which func(*node) bool) {
	ds, passing := state.DaemonSet, sets.New[types.UID]()
	for _, n := range nodes(*state) {
		if which(n) && len(n.news) == 0 && available(*state, n.olds, now) {
			for _, pod := range n.olds {
				passing.Insert(pod.UID)
			}
		}
	}
	hash := plan.TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount)
	changePods(state, func(pod *corev1.Pod) bool { return passing.Has(pod.UID) && pod.Labels != nil }, func(pod *corev1.Pod) {
		pod.Labels[plan.HashLabel], pod.Labels[plan.GenerationLabel] = hash, ds.Annotations[appsv1.DeprecatedTemplateGeneration]
	})
}

// readySince is since when a pod is Ready, but for times in which that was unknown. last is what its condition says itself.
type readySince struct {
	since, last time.Time
	unknown     bool
}

func overlookUnknown(m *memory[map[types.UID]readySince]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		before, now := *m.of(*state), map[types.UID]readySince{}
		for _, pod := range state.Pods {
			c := ready(pod)
			had, known := before[pod.UID]
			switch {
			case c == nil || c.Status == corev1.ConditionFalse:
			case c.Status == corev1.ConditionUnknown && known:
				had.unknown = true
				now[pod.UID] = had
			case c.Status == corev1.ConditionTrue:
				if at := c.LastTransitionTime.Time; !known || !had.unknown && !at.Equal(had.last) {
					had = readySince{since: at}
				}
				had.last, had.unknown = c.LastTransitionTime.Time, false
				now[pod.UID] = had
			}
		}
		*m.of(*state) = now
		overlooked := func(pod *corev1.Pod) bool {
			had, known := now[pod.UID]
			return known && !had.unknown && had.since.Before(had.last)
		}
		changePods(state, overlooked, func(pod *corev1.Pod) { setReady(pod, now[pod.UID].since) })
	})
}
