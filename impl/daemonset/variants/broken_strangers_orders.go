package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStrangersOrders are of authors who know the documents and the reference alone. Each goes wrong in one order of events, which a rollout by itself does not bring about.
func brokenStrangersOrders() []Variant {
	return []Variant{
		{Name: "a-drained-pod-ends-in-the-time-of-its-spec",
			Says:   "Deletes a terminating pod again, with the grace period of its spec, once another on the node is available, though it was given a longer one.",
			Breaks: []string{"DRAIN-004"}, Planner: doing(handOverFromLeaving), Writer: deletingPods(graceOfItsSpec)},
		{Name: "counts-what-is-available-before-it-evacuates",
			Says:   "With maxSurge, deletes the available old pods of ineligible nodes in return for those of nodes that it evacuates in the same pass.",
			Breaks: []string{"SURGE-017"}, Planner: doing(spareEvacuated)},
		{Name: "nodes-that-join-do-not-wait-for-history",
			Says:   "Gives an empty node a pod of the template before while the history of the current one cannot be written.",
			Breaks: []string{"TARGET-004", "ROLLOVER-001"}, Planner: remember(fillWithoutHistory)},
		{Name: "a-refused-pod-of-a-node-that-left-has-its-slot",
			Says:   "Holds a surge pod against maxSurge that was refused until it is created, also where its node leaves before.",
			Breaks: []string{"TARGET-005", "TARGET-006"}, Planner: remember(keepPromisedSlots)},
		{Name: "a-lapse-while-it-waits-for-its-cache-is-missed",
			Says:   "Creates no pod beyond maxSurge for an old one that ceased to be Ready in a pass that waited for the cache to show what it wrote.",
			Breaks: []string{"UNREADY-001", "UNREADY-009"}, Planner: remember(missLapses)},
		{Name: "pods-get-the-hash-that-a-name-would-have-now",
			Says:   "Labels pods with the hash that the name of a new history would have, though that of the template is from before a collision.",
			Breaks: []string{"HISTORY-009", "API-020"}, Planner: doing(hashAnew)},
		{Name: "histories-on-their-way-out-have-no-number",
			Says:   "Leaves histories of other templates that are being deleted, and are not gone, out when it numbers the current one.",
			Breaks: []string{"HISTORY-003", "HISTORY-010", "ROLLBACK-001"}, Planner: numberBesideLeaving},
		{Name: "a-template-comes-back-the-way-it-came",
			Says:   "Rolls back without surge to a template whose history was made while the feature gate was off.",
			Breaks: []string{"GATE-006", "SURGE-006", "SURGE-016"}, Planner: both(seeing(readWay), doing(noteWay))},
	}
}

// actsNot reports whether the pass decides nothing about pods.
func actsNot(actions *plan.Actions, state plan.State) bool {
	return state.AwaitingOwnWrites || actions.CreateRevision != nil
}

// handOverFromLeaving does not ask whether the pod that has a successor is terminating already. What has its own grace period, or a shorter one, is left out: deleting
// it again would change nothing.
func handOverFromLeaving(actions *plan.Actions, state plan.State, now time.Time) {
	if actsNot(actions, state) || !maySurge(state) {
		return
	}
	for _, n := range nodes(state) {
		if !available(state, n.news, now) {
			continue
		}
		for _, pod := range n.leaving {
			own, given := pod.Spec.TerminationGracePeriodSeconds, pod.DeletionGracePeriodSeconds
			if own != nil && given != nil && *given > *own {
				remove(actions, pod, plan.ReasonReplaced)
			}
		}
	}
}

// graceOfItsSpec says what an API server takes anyway for a pod that is not terminating.
func graceOfItsSpec(pod *corev1.Pod) client.DeleteOption {
	if own := pod.Spec.TerminationGracePeriodSeconds; own != nil {
		return client.GracePeriodSeconds(*own)
	}
	return &client.DeleteOptions{}
}

// spareEvacuated counts the available pods of the nodes as they were before the pass decided about any.
func spareEvacuated(actions *plan.Actions, state plan.State, now time.Time) {
	if actsNot(actions, state) || !maySurge(state) || len(actions.DeletePods) == 0 {
		return
	}
	all := nodes(state)
	keeps := func(n *node) bool {
		_, kept := plan.Eligibility(state.DaemonSet, n.object)
		return kept
	}
	has := func(n *node) bool { return available(state, n.olds, now) || available(state, n.news, now) }
	if howMany(all, func(n *node) bool { return !keeps(n) && has(n) }) == 0 {
		return
	}
	closed := slices.DeleteFunc(slices.Clone(all), func(n *node) bool { return n.eligible || !keeps(n) || !available(state, n.olds, now) })
	goes := func(n *node) bool {
		return slices.ContainsFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Node == n.name })
	}
	spare := howMany(all, has) - eligibleNodes(state) - howMany(closed, goes)
	for _, n := range closed {
		if goes(n) || spare <= 0 {
			continue
		}
		spare--
		for _, old := range n.olds {
			remove(actions, old, plan.ReasonIneligible)
		}
	}
}

// unwritten is the history that could not be written so far, and whether the last pass tried it.
type unwritten struct {
	name  string
	tried bool
}

// fillWithoutHistory takes turns: it tries to write the history, and if that did not work, it sees to the empty nodes by the latest history that there is.
func fillWithoutHistory(m *memory[unwritten]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions, u := next(state, now), m.of(state)
			if actions.Err != nil || actions.CreateRevision == nil {
				*u = unwritten{}
				return actions
			}
			if u.name != actions.CreateRevision.Name || !u.tried {
				*u = unwritten{name: actions.CreateRevision.Name, tried: true}
				return actions
			}
			former := asBefore(state)
			if former.DaemonSet == nil {
				return actions
			}
			before := next(former, now)
			withoutCreations(&before, func(c plan.PodCreation) bool { return c.Reason != plan.ReasonMissing })
			if before.Err != nil || before.CreateRevision != nil || len(before.CreatePods) == 0 {
				return actions
			}
			u.tried = false
			actions.CreateRevision, actions.CreatePods = nil, before.CreatePods
			comeBack(&actions, time.Second)
			return actions
		}
	}
}

// asBefore returns the state with the template of the latest history, or without a DaemonSet if there is none.
func asBefore(state plan.State) plan.State {
	var latest *appsv1.ControllerRevision
	for _, revision := range state.Revisions {
		mine := metav1.IsControlledBy(revision, state.DaemonSet) && plan.StoredTemplate(revision) != nil
		if mine && (latest == nil || revision.Revision > latest.Revision) {
			latest = revision
		}
	}
	if latest == nil {
		state.DaemonSet = nil
		return state
	}
	ds := state.DaemonSet.DeepCopy()
	ds.Spec.Template = *plan.StoredTemplate(latest).DeepCopy()
	// Pods have the generation of the template that they are made from.
	delete(ds.Annotations, appsv1.DeprecatedTemplateGeneration)
	for _, pod := range state.Pods {
		generation := pod.Labels[plan.GenerationLabel]
		if generation != "" && pod.Labels[plan.HashLabel] == latest.Labels[plan.HashLabel] {
			metav1.SetMetaDataAnnotation(&ds.ObjectMeta, appsv1.DeprecatedTemplateGeneration, generation)
		}
	}
	state.DaemonSet = ds
	return state
}

// promised are the nodes that were given a slot for a surge pod that has not been seen, in the rollout of one template.
type promised struct {
	hash  string
	nodes map[string]bool
}

// keepPromisedSlots takes a slot back when the pod is there, or when the node, being eligible, has no need of it any more. It looks at eligible nodes only.
func keepPromisedSlots(m *memory[promised]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		p := m.of(state)
		if !maySurge(state) || p.hash != hashOfCurrent(state) || p.nodes == nil {
			*p = promised{hash: hashOfCurrent(state), nodes: map[string]bool{}}
		}
		if !maySurge(state) || actsNot(actions, state) {
			return
		}
		surge := createdFor(plan.ReasonSurge)
		wanted := map[string]bool{}
		for _, c := range actions.CreatePods {
			wanted[c.Node] = wanted[c.Node] || surge(c)
		}
		isUpdated, inUse := updated(state), 0
		for _, n := range nodes(state) {
			came := len(n.news) > 0 || slices.ContainsFunc(n.leaving, isUpdated)
			if came || n.eligible && !wanted[n.name] {
				delete(p.nodes, n.name)
			}
			if came && available(state, n.olds, now) && !available(state, n.news, now) {
				inUse++
			}
		}
		lost := 0
		for name := range p.nodes {
			if !wanted[name] {
				lost++
			}
		}
		if lost > 0 {
			room := limitOf(state, maxSurge) - inUse - lost
			withoutCreations(actions, func(c plan.PodCreation) bool {
				if !surge(c) {
					return false
				}
				room--
				return room < 0
			})
		}
		for _, c := range actions.CreatePods {
			if surge(c) {
				p.nodes[c.Node] = true
			}
		}
	})
}

// lapses are the old pods of one rollout, with whether they were Ready, and those whose lapse was noted in a pass that could do nothing about it.
type lapses struct {
	hash   string
	ready  map[types.UID]bool
	missed map[types.UID]bool
}

// missLapses acts when an old pod ceases to be Ready, and not while it is not. What was not Ready when the rollout began is seen to at once.
func missLapses(m *memory[lapses]) Around {
	return deciding(func(state *plan.State, now time.Time) {
		l := m.of(*state)
		if !maySurge(*state) || l.hash != hashOfCurrent(*state) {
			*l = lapses{hash: hashOfCurrent(*state)}
		}
		if !maySurge(*state) {
			return
		}
		all, missed, hidden := map[types.UID]bool{}, map[types.UID]bool{}, map[types.UID]bool{}
		for _, n := range nodes(*state) {
			for _, old := range n.olds {
				all[old.UID] = plan.IsReady(old)
				if all[old.UID] {
					continue
				}
				lapsed := l.ready[old.UID] && state.AwaitingOwnWrites
				missed[old.UID] = l.missed[old.UID] || lapsed
				// Its turn comes as that of any other. Beside its updated pod it is what it is.
				hidden[old.UID] = missed[old.UID] && n.eligible && len(n.news) == 0
			}
		}
		l.ready, l.missed = all, missed
		changePods(state, func(pod *corev1.Pod) bool { return hidden[pod.UID] }, func(pod *corev1.Pod) {
			setReady(pod, now.Add(-time.Duration(state.DaemonSet.Spec.MinReadySeconds)*time.Second-time.Hour))
		})
	})
}

// hashAnew computes what it could read from the history.
func hashAnew(actions *plan.Actions, state plan.State, _ time.Time) {
	hash := hashOfCurrent(state)
	for i := range actions.CreatePods {
		creation := &actions.CreatePods[i]
		creation.Hash = hash
		creation.Pod.Labels[plan.HashLabel] = hash
	}
}

// numberBesideLeaving takes histories for gone that are kept by a finalizer. What it writes to them otherwise has their numbers.
func numberBesideLeaving(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		ds, numbers := state.DaemonSet, map[types.UID]int64{}
		state.Revisions = slices.Clone(state.Revisions)
		for i, revision := range state.Revisions {
			stored := plan.StoredTemplate(revision)
			if revision.DeletionTimestamp == nil || !metav1.IsControlledBy(revision, ds) || stored == nil || apiequality.Semantic.DeepEqual(stored, &ds.Spec.Template) {
				continue
			}
			numbers[revision.UID] = revision.Revision
			state.Revisions[i] = revision.DeepCopy()
			state.Revisions[i].Revision = 0
		}
		actions := next(state, now)
		for _, update := range actions.UpdateRevisions {
			if number, is := numbers[update.Revision.UID]; is {
				update.Revision.Revision = number
			}
		}
		return actions
	}
}

// unsurgedAnnotation is the annotation of a history whose template was first rolled out without the maxSurge that was stored.
const unsurgedAnnotation = "rollcall.dev/rolled-out-without-surge"

func noteWay(actions *plan.Actions, state plan.State, _ time.Time) {
	rolling := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate
	if actions.CreateRevision == nil || !state.SurgeDisabled || rolling == nil || scaled(rolling.MaxSurge, 100, true) == 0 {
		return
	}
	actions.CreateRevision = actions.CreateRevision.DeepCopy()
	metav1.SetMetaDataAnnotation(&actions.CreateRevision.ObjectMeta, unsurgedAnnotation, "true")
}

// readWay has a rollback restore how the template was rolled out. A rollout that began without the gate, and was not overtaken, surges once it may.
func readWay(state *plan.State, _ time.Time) {
	noted := slices.ContainsFunc(state.Revisions, func(revision *appsv1.ControllerRevision) bool {
		return metav1.IsControlledBy(revision, state.DaemonSet) && revision.Annotations[unsurgedAnnotation] != "" && isCurrent(*state, revision)
	})
	state.SurgeDisabled = state.SurgeDisabled || noted && wasThereBefore(*state)
}
