package variants

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenCoincidences are right as long as one thing happens at a time: it takes two to show them.
func brokenCoincidences() []Variant {
	return []Variant{
		{Name: "an-edit-beside-the-template-forgives-updated-pods",
			Says:   "Does not count updated pods that were unavailable when something beside the template changed.",
			Breaks: []string{"ROLLING-002", "ROLLING-010", "ROLLING-012"}, Planner: remember(forgiveAtEdits)},
		{Name: "after-on-delete-the-template-generation-decides",
			Says:   "Replaces pods of an older template generation when the strategy turns from OnDelete to RollingUpdate, also those of the current revision.",
			Breaks: []string{"ROLLBACK-002", "HISTORY-024", "ROLLING-015"}, Planner: remember(distrustAfterOnDelete)},
		{Name: "a-node-that-came-back-gets-the-revision-it-had",
			Says:   "Gives a node that was deleted and joins again under its name a pod of the revision that it had before.",
			Breaks: []string{"TARGET-004", "HISTORY-009"}, Planner: remember(givesBackRevisions)},
		{Name: "pods-of-closed-nodes-use-no-history",
			Says:   "Trims history that only pods on nodes that should run none still carry.",
			Breaks: []string{"HISTORY-017"}, Planner: trimUnderClosedNodes},
		{Name: "a-rollback-leaves-surge-pods-of-cordoned-nodes",
			Says:   "Leaves the surge pods of an abandoned revision on cordoned nodes until these are open again.",
			Breaks: []string{"ROLLBACK-003", "SURGE-007"}, Planner: doing(leaveAbandonedOnCordoned)},
		{Name: "failed-pods-go-within-max-unavailable",
			Says:   "Without surge, deletes failed pods only as far as maxUnavailable leaves room beside the other nodes without an available pod.",
			Breaks: []string{"TARGET-009"}, Planner: doing(boundFailed)},
		{Name: "lowered-min-ready-seconds-leave-running-clocks",
			Says:   "Pods that wait to become available when minReadySeconds is lowered wait as long as they had to before.",
			Breaks: []string{"AVAIL-003", "AVAIL-007", "SURGE-007"}, Planner: remember(keepDeadlines)},
		{Name: "a-lost-surge-pod-returns-above-a-lowered-limit",
			Says:   "Creates a surge pod again where one was lost, although fewer slots are left than when it was made.",
			Breaks: []string{"SURGE-002", "SURGE-020"}, Planner: remember(restoreSurgePods)},
	}
}

// templateHashOf is the hash that tells templates apart.
func templateHashOf(state plan.State) string {
	return plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount)
}

// forgiven are the updated pods that count for nothing.
type forgiven struct {
	generation int64
	template   string
	pods       map[types.UID]bool
}

func forgiveAtEdits(m *memory[forgiven]) Around {
	note := seeing(func(state *plan.State, now time.Time) {
		f, generation, template := m.of(*state), state.DaemonSet.Generation, templateHashOf(*state)
		switch {
		case f.template != template:
			f.pods = map[types.UID]bool{}
		case f.generation != generation:
			for _, n := range nodes(*state) {
				if n.unavailable(*state, now) && len(n.news) > 0 {
					f.pods[n.news[0].UID] = true
				}
			}
		}
		f.generation, f.template = generation, template
	})
	return both(note, lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
		return n.unavailable(state, now) && len(n.news) > 0 && m.of(state).pods[n.news[0].UID]
	}))
}

// distrusted are the pods that the change of the strategy made old ones.
type distrusted struct {
	onDelete bool
	template string
	pods     map[types.UID]bool
}

func distrustAfterOnDelete(m *memory[distrusted]) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		d, ds, template := m.of(*state), state.DaemonSet, templateHashOf(*state)
		if d.template != template {
			d.template, d.pods = template, map[types.UID]bool{}
		}
		if ds.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
			d.onDelete = true
			return
		}
		if generation := ds.Annotations[appsv1.DeprecatedTemplateGeneration]; d.onDelete && generation != "" {
			for _, pod := range state.Pods {
				if metav1.IsControlledBy(pod, ds) && pod.Labels[plan.GenerationLabel] != generation {
					d.pods[pod.UID] = true
				}
			}
		}
		d.onDelete = false
		changePods(state, func(pod *corev1.Pod) bool { return d.pods[pod.UID] }, func(pod *corev1.Pod) {
			delete(pod.Labels, plan.HashLabel)
			delete(pod.Labels, plan.GenerationLabel)
		})
	})
}

// formerNodes are the revision labels that nodes had pods of, and the nodes that have left since.
type formerNodes struct {
	hashes map[string]string
	left   map[string]bool
}

func givesBackRevisions(m *memory[formerNodes]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		f := m.of(state)
		if f.hashes == nil {
			f.hashes, f.left = map[string]string{}, map[string]bool{}
		}
		there := map[string]bool{}
		for _, n := range nodes(state) {
			there[n.name] = true
			if pods := slices.Concat(n.olds, n.news); len(pods) > 0 && pods[0].Labels[plan.HashLabel] != "" {
				f.hashes[n.name] = pods[0].Labels[plan.HashLabel]
				delete(f.left, n.name)
			}
		}
		for name := range f.hashes {
			if !there[name] {
				f.left[name] = true
			}
		}
		actions.CreatePods = slices.Clone(actions.CreatePods)
		for i, creation := range actions.CreatePods {
			had := f.hashes[creation.Node]
			if !f.left[creation.Node] || had == creation.Hash {
				continue
			}
			of := slices.IndexFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Labels[plan.HashLabel] == had })
			if of < 0 {
				continue
			}
			if template := plan.StoredTemplate(state.Revisions[of]); template != nil {
				ds := state.DaemonSet.DeepCopy()
				ds.Spec.Template = *template.DeepCopy()
				actions.CreatePods[i].Hash, actions.CreatePods[i].Pod = had, plan.NewPod(ds, had, creation.Node)
			}
		}
	})
}

func trimUnderClosedNodes(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		if actions.Err != nil || state.DaemonSet.DeletionTimestamp != nil {
			return actions
		}
		closed := map[string]bool{}
		for _, n := range nodes(state) {
			closed[n.name] = !n.eligible
		}
		withoutPods(&state, func(pod *corev1.Pod) bool { return closed[plan.TargetNode(pod)] })
		actions.DeleteRevisions = next(state, now).DeleteRevisions
		return actions
	}
}

func leaveAbandonedOnCordoned(actions *plan.Actions, state plan.State, _ time.Time) {
	left := map[types.UID]bool{}
	for _, n := range nodes(state) {
		if !n.object.Spec.Unschedulable || len(n.news) == 0 {
			continue
		}
		for _, pod := range n.olds {
			// Only a rollback makes a pod old that was created after the updated one.
			left[pod.UID] = pod.CreationTimestamp.After(n.news[0].CreationTimestamp.Time)
		}
	}
	withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonReplaced && left[d.Pod.UID] })
}

func boundFailed(actions *plan.Actions, state plan.State, now time.Time) {
	limit := limitOf(state, maxUnavailable)
	if maySurge(state) || limit == 0 {
		return
	}
	room := limit - howMany(nodes(state), func(n *node) bool { return n.unavailable(state, now) && len(n.ended) == 0 })
	let, kept := map[string]bool{}, map[types.UID]bool{}
	actions.Backoff = maps.Clone(actions.Backoff)
	withoutDeletions(actions, func(d plan.PodDeletion) bool {
		if d.Reason != plan.ReasonFailed || let[d.Node] {
			return false
		}
		if room > 0 {
			room--
			let[d.Node] = true
			return false
		}
		kept[d.Pod.UID] = true
		delete(actions.Backoff, d.Node)
		return true
	})
	actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(e plan.Event) bool { return e.Pod != nil && kept[e.Pod.UID] })
}

// deadline is when a pod that has been Ready since then becomes available.
type deadline struct{ since, at time.Time }

func keepDeadlines(m *memory[map[types.UID]deadline]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		wait := time.Duration(state.DaemonSet.Spec.MinReadySeconds) * time.Second
		before, all := *m.of(*state), map[types.UID]deadline{}
		for _, pod := range state.Pods {
			if !plan.IsReady(pod) || ready(pod).LastTransitionTime.IsZero() {
				continue
			}
			since := ready(pod).LastTransitionTime.Time
			at := since.Add(wait)
			if had, known := before[pod.UID]; known && had.since.Equal(since) && had.at.After(at) {
				at = had.at
			}
			all[pod.UID] = deadline{since: since, at: at}
		}
		*m.of(*state) = all
		late := func(pod *corev1.Pod) bool {
			d, known := all[pod.UID]
			return known && d.at.After(now) && d.at.After(d.since.Add(wait))
		}
		changePods(state, late, func(pod *corev1.Pod) { setReady(pod, all[pod.UID].at.Add(-wait)) })
	})
}

// surged are the nodes that have had a surge pod of the template.
type surged struct {
	template string
	nodes    map[string]bool
}

func restoreSurgePods(m *memory[surged]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		s, template := m.of(state), templateHashOf(state)
		if s.template != template {
			s.template, s.nodes = template, map[string]bool{}
		}
		for _, n := range surging(state, now) {
			s.nodes[n.name] = true
		}
		planned := slices.ContainsFunc(actions.CreatePods, createdFor(plan.ReasonSurge))
		if planned || !maySurge(state) || state.AwaitingOwnWrites || actions.CreateRevision != nil {
			return
		}
		for _, n := range nodes(state) {
			busy := len(n.news)+len(n.leaving)+len(n.ended) > 0 ||
				slices.ContainsFunc(actions.DeletePods, func(d plan.PodDeletion) bool { return d.Node == n.name })
			if s.nodes[n.name] && n.eligible && !busy && available(state, n.olds, now) {
				actions.CreatePods = append(slices.Clone(actions.CreatePods), plan.PodCreation{
					Node: n.name, Hash: template, Reason: plan.ReasonSurge, Pod: plan.NewPod(state.DaemonSet, template, n.name),
				})
			}
		}
	})
}
