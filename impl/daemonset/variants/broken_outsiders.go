package variants

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenOutsiders are of an author who knows the documents and the reference alone: each takes two things, or an order of them, to show.
func brokenOutsiders() []Variant {
	return []Variant{
		{Name: "waiting-for-a-port-wins-once-surge-is-gone",
			Says:   "When surge is removed, deletes the available old pod instead of the updated one that waits for its host port, within maxUnavailable.",
			Breaks: []string{"SURGE-021"}, Planner: doing(givePorts)},
		{Name: "without-the-gate-failed-updated-pods-take-over",
			Says:   "With the gate off, a node's old pod goes where an updated one is, also where that has failed.",
			Breaks: []string{"GATE-003", "GATE-007"}, Planner: doing(failedTakeOver)},
		{Name: "a-toleration-that-has-run-out-is-none",
			Says:   "Fills no node whose NoExecute taint has lasted for longer than the pods tolerate it.",
			Breaks: []string{"TARGET-001", "SURGE-012"}, Planner: remember(countTolerationsDown)},
		{Name: "drained-nodes-that-are-deleted-count-in-percentages",
			Says:   "Takes a percentage maxSurge also of the nodes that were cordoned when they were deleted, until the rollout is over.",
			Breaks: []string{"SURGE-002", "SURGE-004"}, Planner: remember(expectDrainedNodes)},
		{Name: "a-refused-hand-over-stays-decided",
			Says:   "Deletes the old pod whose deletion was due once, although the updated one is available no longer.",
			Breaks: []string{"SURGE-016", "AVAIL-001"}, Planner: remember(carryOutHandOvers)},
		{Name: "an-old-pod-that-recovers-ends-the-back-off",
			Says:   "Forgets what failed on a node when the old pod there becomes available again.",
			Breaks: []string{"SURGE-024", "TARGET-010"}, Planner: remember(forgiveRecoveredNodes)},
		{Name: "a-history-on-its-way-out-is-a-collision",
			Says:   "Takes the name for one of other content when a rollback goes back to a history that is being deleted.",
			Breaks: []string{"HISTORY-005", "ROLLBACK-002"}, Planner: collideWithLeaving},
	}
}

// givePorts finds it a waste to delete a pod that is created again as soon as the port is free.
func givePorts(actions *plan.Actions, state plan.State, now time.Time) {
	if maySurge(state) || state.SurgeDisabled || len(actions.UpdatePods) > 0 || !usesHostPorts(&state.DaemonSet.Spec.Template.Spec) {
		return
	}
	byName, room := map[string]*node{}, roomOf(state, now)
	for _, n := range nodes(state) {
		byName[n.name] = n
	}
	actions.DeletePods = slices.Clone(actions.DeletePods)
	swapped := map[string]bool{}
	for i, d := range actions.DeletePods {
		n := byName[d.Node]
		waits := d.Reason == plan.ReasonDuplicate && n != nil && len(n.news) == 1 && n.news[0].UID == d.Pod.UID && isUnschedulable(d.Pod)
		if room > 0 && waits && len(n.olds) == 1 && available(state, n.olds, now) {
			actions.DeletePods[i] = plan.PodDeletion{Pod: n.olds[0], Node: n.name, Reason: plan.ReasonOutdated}
			swapped[n.name] = true
			room--
		}
	}
	if len(swapped) == 0 {
		return
	}
	// What the plan takes down elsewhere has what is left of the limit.
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		if d.Reason != plan.ReasonOutdated || swapped[d.Node] {
			return false
		}
		room--
		return room < 0
	})
}

func usesHostPorts(spec *corev1.PodSpec) bool {
	return slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(port corev1.ContainerPort) bool { return port.HostPort != 0 })
	})
}

func isUnschedulable(pod *corev1.Pod) bool {
	scheduled := condition(pod, corev1.PodScheduled)
	return scheduled != nil && scheduled.Status == corev1.ConditionFalse && scheduled.Reason == corev1.PodReasonUnschedulable
}

// failedTakeOver leaves a node one pod, the updated one, which is created again anyway where it has failed.
func failedTakeOver(actions *plan.Actions, state plan.State, _ time.Time) {
	if !state.SurgeDisabled || limitOf(state, maxSurge) == 0 || state.AwaitingOwnWrites || actions.CreateRevision != nil {
		return
	}
	isUpdated := updated(state)
	for _, n := range nodes(state) {
		if n.eligible && slices.ContainsFunc(n.ended, isUpdated) {
			for _, old := range n.olds {
				remove(actions, old, plan.ReasonDuplicate)
			}
		}
	}
}

// countTolerationsDown sees no sense in a pod that would be taken away at once. It remembers since when there are taints that do not say it.
func countTolerationsDown(m *memory[map[string]time.Time]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		before, all, byName := *m.of(state), map[string]time.Time{}, map[string]*corev1.Node{}
		for _, each := range state.Nodes {
			byName[each.Name] = each
			for _, taint := range each.Spec.Taints {
				key := taintOn(each, taint)
				switch since, known := before[key]; {
				case taint.TimeAdded != nil:
					all[key] = taint.TimeAdded.Time
				case known:
					all[key] = since
				default:
					all[key] = now
				}
			}
		}
		*m.of(state) = all
		withoutCreations(actions, func(c plan.PodCreation) bool {
			on := byName[c.Node]
			return c.Reason == plan.ReasonMissing && on != nil && slices.ContainsFunc(on.Spec.Taints, func(taint corev1.Taint) bool {
				lasts := now.Sub(all[taintOn(on, taint)])
				return taint.Effect == corev1.TaintEffectNoExecute && runsOut(c.Pod.Spec.Tolerations, taint, lasts)
			})
		})
	})
}

func taintOn(on *corev1.Node, taint corev1.Taint) string {
	return string(on.UID) + " " + taint.ToString()
}

// runsOut reports whether the taint, which has been there for so long, is tolerated for a shorter time.
func runsOut(tolerations []corev1.Toleration, taint corev1.Taint, lasts time.Duration) bool {
	out := false
	for _, toleration := range tolerations {
		if !toleration.ToleratesTaint(klog.Background(), &taint, true) {
			continue
		}
		if toleration.TolerationSeconds == nil {
			return false
		}
		out = out || lasts >= time.Duration(*toleration.TolerationSeconds)*time.Second
	}
	return out
}

// drained are the nodes that are cordoned, and those that were deleted so and may come back.
type drained struct{ cordoned, deleted map[string]bool }

func expectDrainedNodes(m *memory[drained]) Around {
	return seeingSpec(func(spec *appsv1.DaemonSetSpec, state plan.State, _ time.Time) {
		d, there, cordoned, underWay := m.of(state), map[string]bool{}, map[string]bool{}, false
		for _, n := range nodes(state) {
			there[n.name] = true
			underWay = underWay || n.eligible && (len(n.olds) > 0 || len(n.news) == 0)
			if n.eligible && n.object.Spec.Unschedulable {
				cordoned[n.name] = true
			}
		}
		if d.deleted == nil || !underWay {
			d.deleted = map[string]bool{}
		}
		for name := range d.cordoned {
			d.deleted[name] = underWay
		}
		maps.DeleteFunc(d.deleted, func(name string, expected bool) bool { return there[name] || !expected })
		d.cordoned = cordoned
		rolling := spec.UpdateStrategy.RollingUpdate
		if len(d.deleted) == 0 || rolling == nil || rolling.MaxSurge == nil || rolling.MaxSurge.Type != intstr.String {
			return
		}
		if number := scaled(rolling.MaxSurge, eligibleNodes(state)+len(d.deleted), true); number > 0 {
			rolling.MaxSurge = ptr.To(intstr.FromInt(number))
		}
	})
}

// carryOutHandOvers repeats the deletions of old pods that were due, for the same updated pods.
func carryOutHandOvers(m *memory[map[types.UID]types.UID]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		before, all := *m.of(state), map[types.UID]types.UID{}
		for _, n := range nodes(state) {
			if len(n.news) == 0 {
				continue
			}
			for _, old := range n.olds {
				is := func(d plan.PodDeletion) bool { return d.Pod.UID == old.UID && d.Reason == plan.ReasonReplaced }
				if successor := n.news[0].UID; before[old.UID] == successor || slices.ContainsFunc(actions.DeletePods, is) {
					all[old.UID] = successor
				}
			}
			if !maySurge(state) || state.AwaitingOwnWrites || actions.CreateRevision != nil {
				continue
			}
			for _, old := range n.olds {
				if all[old.UID] != "" {
					remove(actions, old, plan.ReasonReplaced)
				}
			}
		}
		*m.of(state) = all
	})
}

// recoveries are the nodes with an available old pod, or with one that is not, and the failures that are forgiven since.
type recoveries struct {
	available map[string]bool
	forgiven  map[string]time.Time
}

func forgiveRecoveredNodes(m *memory[recoveries]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		r, all := m.of(*state), map[string]bool{}
		if r.forgiven == nil {
			r.forgiven = map[string]time.Time{}
		}
		state.Backoff = maps.Clone(state.Backoff)
		for _, n := range nodes(*state) {
			if len(n.olds) == 0 {
				continue
			}
			all[n.name] = available(*state, n.olds, now)
			if was, known := r.available[n.name]; known && !was && all[n.name] {
				r.forgiven[n.name] = state.Backoff[n.name].Last
			}
			if at, is := r.forgiven[n.name]; is && at.Equal(state.Backoff[n.name].Last) {
				delete(state.Backoff, n.name)
			}
		}
		r.available = all
	})
}

// collideWithLeaving takes no notice of histories that are being deleted, although they hold their names still.
func collideWithLeaving(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		ds, wanted, taken := state.DaemonSet, plan.RevisionName(state.DaemonSet), false
		mine := func(r *appsv1.ControllerRevision) bool { return metav1.IsControlledBy(r, ds) }
		state.Revisions = slices.DeleteFunc(slices.Clone(state.Revisions), func(r *appsv1.ControllerRevision) bool {
			stored := plan.StoredTemplate(r)
			if r.DeletionTimestamp == nil || !mine(r) || stored == nil || !apiequality.Semantic.DeepEqual(stored, &ds.Spec.Template) {
				return false
			}
			overtaken := slices.ContainsFunc(state.Revisions, func(other *appsv1.ControllerRevision) bool { return mine(other) && other.Revision > r.Revision })
			taken = taken || overtaken && r.Name == wanted
			return overtaken
		})
		actions := next(state, now)
		if !taken || actions.Err != nil || actions.CreateRevision == nil {
			return actions
		}
		actions.CreateRevision = nil
		if actions.Status == nil {
			actions.Status = ds.Status.DeepCopy()
		}
		actions.Status.CollisionCount = ptr.To(ptr.Deref(ds.Status.CollisionCount, 0) + 1)
		return actions
	}
}
