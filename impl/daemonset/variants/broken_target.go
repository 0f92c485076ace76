package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenTargets choose nodes wrongly, or treat pods wrongly that do not fare well on theirs.
func brokenTargets() []Variant {
	return []Variant{
		{Name: "ignores-node-affinity", Says: "Creates pods on nodes that the node affinity excludes.",
			Breaks:  []string{"TARGET-001"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) { spec.Template.Spec.Affinity = nil })},
		{Name: "fills-joining-nodes-with-the-first-template", Says: "Creates a missing pod from the template that the DaemonSet had first.",
			Breaks: []string{"TARGET-004"}, Planner: remember(fillWithFirst)},
		{Name: "a-node-that-leaves-stops-the-rollout", Says: "Goes on with a rollout only while every node is there that wanted a pod when it began.",
			Breaks: []string{"TARGET-005", "TARGET-006"}, Planner: remember(waitForNodes)},
		{Name: "gives-up-where-a-node-is-missing", Says: "Does nothing about pods while one is on a node that does not exist.",
			Breaks: []string{"TARGET-006"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, pod := range state.Pods {
					if !slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool { return node.Name == plan.TargetNode(pod) }) {
						actions.CreatePods, actions.DeletePods = nil, nil
						return
					}
				}
			})},
		{Name: "tolerates-no-pressure", Says: "Creates pods without the toleration of nodes that are short of memory.",
			Breaks: []string{"TARGET-007"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					spec := &creation.Pod.Spec
					spec.Tolerations = slices.DeleteFunc(spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == corev1.TaintNodeMemoryPressure })
				}
			})},
		{Name: "tolerates-unreachable-nodes-as-the-template-says", Says: "Leaves a toleration of unreachable nodes alone that the template limits in time.",
			Breaks: []string{"TARGET-007"}, Planner: doing(keepTolerations)},
		{Name: "adds-no-toleration-beside-one-for-every-key", Says: "Adds no toleration of NoExecute where the template has one for every key, limited in time or not.",
			Breaks: []string{"TARGET-007"}, Planner: doing(addNoTolerationBesideAny)},
		{Name: "replaces-pending-pods", Says: "Deletes an updated pod that has been waiting for its node for two seconds.",
			Breaks: []string{"TARGET-008"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				for _, n := range nodes(state) {
					for _, pod := range n.news {
						if pod.Spec.NodeName != "" {
							continue
						}
						wait := pod.CreationTimestamp.Add(2 * time.Second).Sub(now)
						comeBack(actions, wait)
						if wait <= 0 {
							remove(actions, pod, plan.ReasonOldUnavailable)
						}
					}
				}
			})},
		{Name: "keeps-failed-pods", Says: "Deletes no pod for having failed.",
			Breaks: []string{"TARGET-009"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				withoutDeletions(actions, deletedFor(plan.ReasonFailed))
			})},
	}
}

// fillWithFirst gives missing pods the first template, and nobody the blame for it: their label is the current one.
func fillWithFirst(m *memory[corev1.PodTemplateSpec]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		first := m.of(state)
		if len(first.Spec.Containers) == 0 {
			state.DaemonSet.Spec.Template.DeepCopyInto(first)
		}
		for _, creation := range actions.CreatePods {
			if creation.Reason == plan.ReasonMissing {
				creation.Pod.Spec.Containers = first.Spec.DeepCopy().Containers
			}
		}
	})
}

// nodesWanted are the nodes that wanted a pod when the rollout began.
type nodesWanted struct {
	rollout rolloutSeen
	names   []string
}

func waitForNodes(m *memory[nodesWanted]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		seen := m.of(state)
		if before := seen.rollout.generation; seen.rollout.of(state).generation != before || seen.names == nil {
			seen.names = nil
			for _, n := range nodes(state) {
				if n.eligible {
					seen.names = append(seen.names, n.name)
				}
			}
		}
		there := map[string]bool{}
		for _, n := range nodes(state) {
			there[n.name] = n.eligible
		}
		if slices.ContainsFunc(seen.names, func(name string) bool { return !there[name] }) {
			withoutCreations(actions, createdFor(plan.ReasonSurge))
			withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
		}
	})
}

// addNoTolerationBesideAny leaves out of new pods what every daemon pod tolerates and their template does not name, where that names no key at all.
func addNoTolerationBesideAny(actions *plan.Actions, state plan.State, _ time.Time) {
	own := state.DaemonSet.Spec.Template.Spec.Tolerations
	ofEveryKey := func(t corev1.Toleration) bool {
		return t.Key == "" && t.Operator == corev1.TolerationOpExists && (t.Effect == "" || t.Effect == corev1.TaintEffectNoExecute)
	}
	if !slices.ContainsFunc(own, ofEveryKey) {
		return
	}
	named := func(added corev1.Toleration) bool {
		return slices.ContainsFunc(own, func(t corev1.Toleration) bool { return t.MatchToleration(&added) })
	}
	for _, creation := range actions.CreatePods {
		spec := &creation.Pod.Spec
		spec.Tolerations = slices.DeleteFunc(spec.Tolerations, func(t corev1.Toleration) bool { return t.Effect == corev1.TaintEffectNoExecute && !named(t) })
	}
}

func keepTolerations(actions *plan.Actions, state plan.State, _ time.Time) {
	for _, creation := range actions.CreatePods {
		for i, toleration := range creation.Pod.Spec.Tolerations {
			for _, own := range state.DaemonSet.Spec.Template.Spec.Tolerations {
				if own.Key == toleration.Key && own.Effect == toleration.Effect {
					creation.Pod.Spec.Tolerations[i] = own
				}
			}
		}
	}
}
