package variants

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenMeetings are right in every situation by itself. They go wrong where two meet: two features, two DaemonSets, or one thing that comes again.
func brokenMeetings() []Variant {
	return []Variant{
		{Name: "ports-waited-for-since-a-surge-cost-nothing",
			Says:   "Once surge was removed in a rollout, does not hold a node against maxUnavailable whose updated pod waits for a host port.",
			Breaks: []string{"HOSTPORT-011", "ROLLING-002", "ROLLING-010", "ROLLING-012"}, Planner: remember(forgiveWaitsForPorts)},
		{Name: "hand-overs-outlive-the-end-of-surge",
			Says:   "Without surge, creates the next pod of a node beside one that has been terminating since there was surge.",
			Breaks: []string{"DRAIN-003"}, Planner: remember(endHandOversLater)},
		{Name: "daemonsets-take-turns-to-repair-a-node",
			Says:   "Creates no pod beside an old one that is not available on a node that it is repairing for another DaemonSet.",
			Breaks: []string{"UNREADY-001", "PAUSE-005", "PAUSE-008"}, Planner: remembering(takeTurnsToRepair)},
		{Name: "deletions-begun-without-the-gate-end-without-it",
			Says:   "Creates no pod beside a terminating one, although maxSurge asks for it, if its deletion began while the feature gate was off.",
			Breaks: []string{"GATE-006", "UNREADY-002", "DRAIN-002"}, Planner: remember(endDeletionsAsBegun)},
		{Name: "a-rollout-after-on-delete-ends-before-the-next",
			Says:   "From the end of OnDelete on, takes down only pods that were outdated then, until none of them is left, whatever the template becomes.",
			Breaks: []string{"ROLLING-001", "ROLLOVER-002", "ROLLOVER-004", "PAUSE-007"}, Planner: remember(endWithThoseOfThen)},
		{Name: "one-event-for-one-cause-on-a-node",
			Says:   "Records no event about a stall while it has recorded one of the same reason on the same node for another DaemonSet.",
			Breaks: []string{"COND-002"}, Planner: remembering(tellOnceForANode)},
		{Name: "old-pods-keep-the-min-ready-seconds-of-before",
			Says:   "Measures old pods by the minReadySeconds of before where these changed in one write with the template.",
			Breaks: []string{"AVAIL-007", "SURGE-002", "UNREADY-010"}, Planner: remember(keepFormerSeconds)},
		{Name: "restarts-make-one-history",
			Says:   "Deletes an old history, whatever the limit, of which a later old one differs by the time of kubectl's restart alone.",
			Breaks: []string{"KUBECTL-002", "KUBECTL-003"}, Planner: doing(mergeRestarts)},
		{Name: "leaves-the-last-disruption-to-evictions",
			Says:   "Deletes no Ready pod while an evicted one of its DaemonSet is terminating and their budget has no more than one disruption to give.",
			Breaks: []string{"CROSS-003", "SURGE-007"}, Writer: func(c client.Client) client.Client { return evictionsFirst{c} }},
	}
}

// surgedOnce says whether the rollout of the template has had surge.
type surgedOnce struct {
	template string
	surged   bool
}

// forgiveWaitsForPorts has it that a pod which waits for its port starts by itself as soon as the old pod, which had the port, is gone.
func forgiveWaitsForPorts(m *memory[surgedOnce]) Around {
	note := seeing(func(state *plan.State, _ time.Time) {
		s, template := m.of(*state), templateHashOf(*state)
		if s.template != template {
			s.template, s.surged = template, false
		}
		s.surged = s.surged || maySurge(*state)
	})
	return both(note, lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
		if !m.of(state).surged || maySurge(state) || len(n.news) == 0 || !n.unavailable(state, now) {
			return false
		}
		return isUnschedulable(n.news[0]) && usesHostPorts(&n.news[0].Spec) && strings.Contains(condition(n.news[0], corev1.PodScheduled).Message, "port")
	}))
}

// handOvers are the pods that have been terminating since the DaemonSet had surge.
type handOvers map[types.UID]bool

// endHandOversLater lets what began with surge end with it.
func endHandOversLater(m *memory[handOvers]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		before, still := *m.of(state), handOvers{}
		var handingOver []*node
		for _, n := range nodes(state) {
			begun := false
			for _, pod := range n.leaving {
				if maySurge(state) || before[pod.UID] {
					still[pod.UID], begun = true, true
				}
			}
			if begun && n.eligible && len(n.olds)+len(n.news)+len(n.ended) == 0 {
				handingOver = append(handingOver, n)
			}
		}
		*m.of(state) = still
		rolling := state.DaemonSet.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType
		if !rolling || maySurge(state) || state.AwaitingOwnWrites || actions.CreateRevision != nil {
			return
		}
		hash := templateHashOf(state)
		for _, n := range handingOver {
			actions.CreatePods = append(slices.Clone(actions.CreatePods), plan.PodCreation{
				Node: n.name, Hash: hash, Reason: plan.ReasonMissing, Pod: plan.NewPod(state.DaemonSet, hash, n.name),
			})
		}
	})
}

// repair is for which DaemonSet a node is being repaired, and when that was last seen to be so.
type repair struct {
	ds   types.UID
	seen time.Time
}

// takeTurnsToRepair spares a node that is in trouble the start of several pods at once. The nodes are remembered for all DaemonSets together.
func takeTurnsToRepair() Around {
	var mu sync.Mutex
	repairs := map[string]repair{}
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		ds := state.DaemonSet.UID
		for _, n := range nodes(state) {
			if repairs[n.name].ds != ds {
				continue
			}
			if n.eligible && n.unavailable(state, now) {
				repairs[n.name] = repair{ds: ds, seen: now}
			} else {
				delete(repairs, n.name)
			}
		}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			if c.Reason != plan.ReasonOldUnavailable {
				return false
			}
			if by, busy := repairs[c.Node]; busy && by.ds != ds && now.Sub(by.seen) < time.Minute {
				comeBack(actions, time.Second)
				return true
			}
			repairs[c.Node] = repair{ds: ds, seen: now}
			return false
		})
	})
}

// begunWithout are the pods whose deletion began while the gate was off, or before the process, which begins when the gate is turned on.
type begunWithout struct {
	looked bool
	pods   map[types.UID]bool
}

func endDeletionsAsBegun(m *memory[begunWithout]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		b := m.of(state)
		if b.pods == nil {
			b.pods = map[types.UID]bool{}
		}
		waits := map[string]bool{}
		for _, n := range nodes(state) {
			for _, pod := range n.leaving {
				if !b.looked || state.SurgeDisabled {
					b.pods[pod.UID] = true
				}
				waits[n.name] = waits[n.name] || b.pods[pod.UID]
			}
		}
		b.looked = true
		if maySurge(state) {
			withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonMissing && waits[c.Node] })
		}
	})
}

// outdatedThen are the pods that were outdated when OnDelete ended.
type outdatedThen struct {
	onDelete bool
	pods     map[types.UID]bool
}

// endWithThoseOfThen takes the words for it that the pods are replaced which are outdated at the time of the switch.
func endWithThoseOfThen(m *memory[outdatedThen]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		o := m.of(state)
		if state.DaemonSet.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
			o.onDelete, o.pods = true, nil
			return
		}
		if o.onDelete {
			o.onDelete, o.pods = false, map[types.UID]bool{}
			for _, n := range nodes(state) {
				for _, pod := range n.olds {
					o.pods[pod.UID] = true
				}
			}
		}
		left := map[types.UID]bool{}
		for _, pod := range state.Pods {
			if o.pods[pod.UID] {
				left[pod.UID] = true
			}
		}
		o.pods = left
		if len(left) == 0 {
			return
		}
		isUpdated := updated(state)
		waits := func(pod *corev1.Pod) bool { return !left[pod.UID] && !isUpdated(pod) }
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			toUpdate := d.Reason == plan.ReasonOutdated || d.Reason == plan.ReasonOldUnavailable || d.Reason == plan.ReasonDuplicate
			return toUpdate && waits(d.Pod)
		})
		actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), func(u plan.PodUpdate) bool { return waits(u.Pod) })
	})
}

// tellOnceForANode spares people events that tell of one cause again and again. The causes are remembered for all DaemonSets together.
func tellOnceForANode() Around {
	var mu sync.Mutex
	told := map[string]types.UID{}
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			mu.Lock()
			defer mu.Unlock()
			ds, cause := state.DaemonSet.UID, causeOfStall(actions, state)
			for other, by := range told {
				if by == ds && other != cause {
					delete(told, other)
				}
			}
			if cause == "" {
				return actions
			}
			if _, known := told[cause]; !known {
				told[cause] = ds
			}
			if told[cause] != ds {
				actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Reason == plan.EventRolloutStalled })
			}
			return actions
		}
	}
}

// causeOfStall is the reason of the stall and the first node that it names; empty if there is no stall.
func causeOfStall(actions plan.Actions, state plan.State) string {
	status := &state.DaemonSet.Status
	if actions.Status != nil {
		status = actions.Status
	}
	stalled := conditionOf(status, plan.ConditionStalled)
	if stalled == nil || stalled.Status != corev1.ConditionTrue || state.DaemonSet.DeletionTimestamp != nil {
		return ""
	}
	for _, each := range state.Nodes {
		if strings.Contains(stalled.Message, "node "+each.Name+" ") {
			return stalled.Reason + " " + each.Name
		}
	}
	return ""
}

// secondsBefore are the minReadySeconds of the last pass and, if they changed in one write with the template, those before.
type secondsBefore struct {
	begun        bool
	template     string
	last, former int32
	differ       bool
}

// keepFormerSeconds has it that a template and its minReadySeconds belong together.
func keepFormerSeconds(m *memory[secondsBefore]) Around {
	return deciding(func(state *plan.State, now time.Time) {
		s, template, present := m.of(*state), templateHashOf(*state), state.DaemonSet.Spec.MinReadySeconds
		switch {
		case !s.begun:
		case s.template != template:
			s.former, s.differ = s.last, s.last != present
		case s.last != present:
			s.differ = false
		}
		s.begun, s.template, s.last = true, template, present
		if !s.differ {
			return
		}
		isUpdated, former := updated(*state), time.Duration(s.former)*time.Second
		// Where there is no time to wait none can be shifted.
		asked := time.Duration(max(present, 1)) * time.Second
		ds := state.DaemonSet.DeepCopy()
		ds.Spec.MinReadySeconds = max(present, 1)
		state.DaemonSet = ds
		changePods(state, plan.IsReady, func(pod *corev1.Pod) {
			old, since := !isUpdated(pod), ready(pod).LastTransitionTime.Time
			switch {
			case old && former == 0, !old && present == 0:
				setReady(pod, now.Add(-asked))
			case old && !since.IsZero():
				setReady(pod, since.Add(former-asked))
			}
		})
	})
}

// restartedAt is the annotation of the template by which kubectl restarts pods.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// mergeRestarts leaves of histories that make the same pods the last one. Those that pods are of stay.
func mergeRestarts(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.AwaitingOwnWrites || actions.CreateRevision != nil {
		return
	}
	live := map[string]bool{"": true}
	for _, pod := range state.Pods {
		live[pod.Labels[plan.HashLabel]] = true
	}
	old := slices.DeleteFunc(slices.Clone(state.Revisions), func(r *appsv1.ControllerRevision) bool {
		stored := plan.StoredTemplate(r)
		return !metav1.IsControlledBy(r, state.DaemonSet) || r.DeletionTimestamp != nil || stored == nil ||
			apiequality.Semantic.DeepEqual(*stored, state.DaemonSet.Spec.Template)
	})
	slices.SortFunc(old, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	for i, revision := range old {
		same := func(r *appsv1.ControllerRevision) bool { return r.UID == revision.UID }
		later := slices.ContainsFunc(old[i+1:], func(r *appsv1.ControllerRevision) bool {
			return apiequality.Semantic.DeepEqual(withoutRestart(r), withoutRestart(revision))
		})
		if !later || live[revision.Labels[plan.HashLabel]] || slices.ContainsFunc(actions.DeleteRevisions, same) {
			continue
		}
		actions.DeleteRevisions = append(slices.Clone(actions.DeleteRevisions), revision)
		actions.UpdateRevisions = slices.DeleteFunc(slices.Clone(actions.UpdateRevisions), func(u plan.RevisionUpdate) bool { return same(u.Revision) })
	}
}

// withoutRestart is the template of the history, which must be readable, without the time of a restart.
func withoutRestart(revision *appsv1.ControllerRevision) corev1.PodTemplateSpec {
	template := plan.StoredTemplate(revision).DeepCopy()
	delete(template.Annotations, restartedAt)
	return *template
}

// evictionsFirst does not compete with a drain for what a budget can give.
type evictionsFirst struct{ client.Client }

func (c evictionsFirst) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod || !plan.IsReady(pod) {
		return c.Client.Delete(ctx, object, options...)
	}
	evicted, err := c.evicted(ctx, pod)
	if err != nil {
		return err
	}
	if evicted {
		var budgets policyv1.PodDisruptionBudgetList
		if err := c.List(ctx, &budgets, client.InNamespace(pod.Namespace)); err != nil {
			return fmt.Errorf("list the budgets: %w", err)
		}
		if slices.ContainsFunc(budgets.Items, func(budget policyv1.PodDisruptionBudget) bool {
			selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
			return err == nil && selector.Matches(labels.Set(pod.Labels)) && budget.Status.DisruptionsAllowed <= 1
		}) {
			return apierrors.NewTooManyRequests("an eviction is under way, and a budget has no more than one disruption to give", 1)
		}
	}
	return c.Client.Delete(ctx, object, options...)
}

// evicted reports whether another pod of the pod's DaemonSet was evicted and is terminating.
func (c evictionsFirst) evicted(ctx context.Context, pod *corev1.Pod) (bool, error) {
	controller := metav1.GetControllerOf(pod)
	if controller == nil {
		return false, nil
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace(pod.Namespace)); err != nil {
		return false, fmt.Errorf("list the pods: %w", err)
	}
	return slices.ContainsFunc(pods.Items, func(other corev1.Pod) bool {
		owner, target := metav1.GetControllerOf(&other), condition(&other, corev1.DisruptionTarget)
		return other.UID != pod.UID && other.DeletionTimestamp != nil && owner != nil && owner.UID == controller.UID &&
			target != nil && target.Status == corev1.ConditionTrue
	}), nil
}
