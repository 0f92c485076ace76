package variants

import (
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenLikenesses take one thing for another that is like it where nothing unusual happens.
func brokenLikenesses() []Variant {
	return []Variant{
		{Name: "an-empty-value-is-none", Says: "Takes templates for the same that differ in labels or annotations with empty values only.",
			Breaks: []string{"ROLLING-016"},
			Planner: comparing(func(template, before *corev1.PodTemplateSpec) {
				template.Labels = emptyAsIn(template.Labels, before.Labels)
				template.Annotations = emptyAsIn(template.Annotations, before.Annotations)
			})},
		{Name: "two-pods-of-a-node-make-up-for-another",
			Says:   "Takes the desired number less that of the available pods for the number of unavailable nodes, also where a node has two since it surged.",
			Breaks: []string{"ROLLING-002"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
				return !maySurge(state) && n.eligible && available(state, n.olds, now) && available(state, n.news, now)
			})},
		{Name: "knows-the-revision-before-alone",
			Says:   "Does not hold a node against maxSurge whose old pod is of another revision than the one before the current.",
			Breaks: []string{"SURGE-002"},
			Planner: lenient(maxSurge, func(n *node, state plan.State, now time.Time) bool {
				before := hashBefore(state)
				return n.surges(state, now) && !slices.ContainsFunc(n.olds, func(pod *corev1.Pod) bool { return pod.Labels[plan.HashLabel] == before })
			})},
		{Name: "a-ready-pod-needs-a-ready-node", Says: "Takes a pod for one that is not Ready whose node is not.",
			Breaks: []string{"AVAIL-001", "SURGE-016"},
			Planner: deciding(func(state *plan.State, _ time.Time) {
				down := map[string]bool{}
				for _, node := range state.Nodes {
					down[node.Name] = notReady(node)
				}
				changePods(state, func(pod *corev1.Pod) bool { return down[pod.Spec.NodeName] && plan.IsReady(pod) },
					func(pod *corev1.Pod) { ready(pod).Status = corev1.ConditionFalse })
			})},
		{Name: "compares-the-images-of-pods", Says: "Takes a pod for outdated of which a container has another image than in the template, whoever gave it that.",
			Breaks: []string{"ROLLING-015"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				isUpdated, template := updated(*state), state.DaemonSet.Spec.Template.Spec.Containers
				outdate(state, func(pod *corev1.Pod) bool {
					return isUpdated(pod) && slices.ContainsFunc(pod.Spec.Containers, func(is corev1.Container) bool {
						return slices.ContainsFunc(template, func(be corev1.Container) bool { return be.Name == is.Name && be.Image != is.Image })
					})
				})
			})},
		{Name: "gives-a-lost-node-another-pod", Says: "Takes an updated pod that is not Ready for one that is no more where its node is not Ready either, and creates another.",
			Breaks: []string{"UNREADY-011"}, Planner: doing(createOnLostNodes)},
		{Name: "a-pod-that-was-ready-forgives-failures", Says: "Backs off from a node anew once an updated pod was Ready there.",
			Breaks: []string{"SURGE-024"}, Planner: remember(forgiveReady)},
		{Name: "waits-for-a-time-to-come", Says: "Takes a Ready pod for unavailable where minReadySeconds is 0 as long as its transition time is still to come.",
			Breaks: []string{"AVAIL-002"},
			Planner: both(
				doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					for _, pod := range state.Pods {
						if dated(pod, state, now) {
							comeBack(actions, ready(pod).LastTransitionTime.Sub(now))
						}
					}
				}),
				seeing(func(state *plan.State, now time.Time) {
					seen := *state
					changePods(state, func(pod *corev1.Pod) bool { return dated(pod, seen, now) }, func(pod *corev1.Pod) { ready(pod).Status = corev1.ConditionFalse })
				}))},
		{Name: "undated-pods-cost-nothing", Says: "Does not hold a node against maxUnavailable whose updated pod is Ready since no known time.",
			Breaks: []string{"AVAIL-006"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
				return n.unavailable(state, now) && slices.ContainsFunc(n.news, func(pod *corev1.Pod) bool {
					return plan.IsReady(pod) && ready(pod).LastTransitionTime.IsZero()
				})
			})},
		{Name: "tells-how-long-a-pod-has-not-been-ready", Says: "Writes into a condition for how many seconds a pod has not been Ready, for as long as it is not.",
			Breaks: []string{"SURGE-025"},
			Planner: both(
				doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					if notReadyFirst(state) != nil {
						comeBack(actions, time.Second)
					}
				}),
				reporting(tellHowLong))},
		{Name: "a-lapse-between-two-looks-is-none", Says: "Counts minReadySeconds from when a pod became Ready that it has not seen cease to be since.",
			Breaks: []string{"AVAIL-004"}, Planner: remember(overlookLapses)},
	}
}

// emptyAsIn returns values with the keys of before that have an empty value, and no others.
func emptyAsIn(values, before map[string]string) map[string]string {
	same := map[string]string{}
	maps.Copy(same, values)
	maps.DeleteFunc(same, func(_, value string) bool { return value == "" })
	for key, value := range before {
		if _, has := same[key]; !has && value == "" {
			same[key] = value
		}
	}
	return same
}

// hashBefore is the revision label of the history with the highest number but for that of the current template.
func hashBefore(state plan.State) string {
	current, number, hash := hashOfCurrent(state), int64(-1), ""
	for _, revision := range state.Revisions {
		if label := revision.Labels[plan.HashLabel]; label != current && revision.Revision > number {
			number, hash = revision.Revision, label
		}
	}
	return hash
}

func createOnLostNodes(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || !maySurge(state) || actions.CreateRevision != nil {
		return
	}
	for _, n := range nodes(state) {
		lost := len(n.olds) == 0 && len(n.news) == 1 && n.news[0].Status.Phase == corev1.PodRunning && !plan.IsReady(n.news[0]) && notReady(n.object)
		if n.eligible && lost {
			actions.CreatePods = append(slices.Clone(actions.CreatePods), another(state, n.name))
		}
	}
}

// forgiveReady shows the planner no back-off of a node from before an updated pod was last seen Ready there.
func forgiveReady(m *memory[map[string]time.Time]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		seen := m.of(*state)
		if *seen == nil {
			*seen = map[string]time.Time{}
		}
		for _, n := range nodes(*state) {
			if slices.ContainsFunc(n.news, plan.IsReady) {
				(*seen)[n.name] = now
			}
		}
		state.Backoff = maps.Clone(state.Backoff)
		maps.DeleteFunc(state.Backoff, func(node string, b plan.Backoff) bool { return !b.Last.After((*seen)[node]) })
	})
}

// dated reports whether a pod counts as available at once, and says that it is Ready from a later time on.
func dated(pod *corev1.Pod, state plan.State, now time.Time) bool {
	return state.DaemonSet.Spec.MinReadySeconds == 0 && plan.IsReady(pod) && ready(pod).LastTransitionTime.After(now)
}

// notReadyFirst is the first pod, in the order of the nodes, that is said not to be Ready; nil if there is none.
func notReadyFirst(state plan.State) *corev1.Pod {
	for _, n := range nodes(state) {
		for _, pod := range slices.Concat(n.olds, n.news) {
			if ready(pod) != nil && !plan.IsReady(pod) {
				return pod
			}
		}
	}
	return nil
}

func tellHowLong(status *appsv1.DaemonSetStatus, state plan.State, now time.Time) {
	const waiting appsv1.DaemonSetConditionType = "Waiting"
	status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(c appsv1.DaemonSetCondition) bool { return c.Type == waiting })
	if pod := notReadyFirst(state); pod != nil {
		since := ready(pod).LastTransitionTime
		status.Conditions = append(status.Conditions, appsv1.DaemonSetCondition{
			Type: waiting, Status: corev1.ConditionTrue, LastTransitionTime: since, Reason: "NotReady",
			Message: fmt.Sprintf("pod %s has not been Ready for %d seconds", pod.Name, int(now.Sub(since.Time).Seconds())),
		})
	}
}

// overlookLapses remembers since when each pod is Ready, until it sees that it is not.
func overlookLapses(m *memory[map[types.UID]time.Time]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		before, since := *m.of(*state), map[types.UID]time.Time{}
		for _, pod := range state.Pods {
			if !plan.IsReady(pod) || ready(pod).LastTransitionTime.IsZero() {
				continue
			}
			since[pod.UID] = ready(pod).LastTransitionTime.Time
			if first, known := before[pod.UID]; known && first.Before(since[pod.UID]) {
				since[pod.UID] = first
			}
		}
		*m.of(*state) = since
		changePods(state, func(pod *corev1.Pod) bool {
			first, known := since[pod.UID]
			return known && ready(pod).LastTransitionTime.After(first)
		}, func(pod *corev1.Pod) { setReady(pod, since[pod.UID]) })
	})
}
