package variants

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenJoiners are of an author who had read the specs, and who looked for what many nodes, neighbours, joiners, causes and edits do together.
func brokenJoiners() []Variant {
	return []Variant{
		{Name: "most-of-its-nodes-do-not-leave-at-once",
			Says:   "Where more than half of the nodes leave, but not all, deletes the pod of one of them a minute.",
			Breaks: []string{"TARGET-002", "DRAIN-008"}, Planner: remember(emptySlowly)},
		{Name: "keeps-what-runs-where-others-are-refused",
			Says:   "Goes on with no rollout while the API server refuses the pods of another DaemonSet of the namespace.",
			Breaks: []string{"ROLLING-001", "PAUSE-008"}, Planner: remembering(waitForRefusedNeighbours)},
		{Name: "nodes-that-joined-are-spare",
			Says:   "Raises maxUnavailable by the nodes that joined during the rollout and have an available pod.",
			Breaks: []string{"ROLLING-002", "ROLLING-005", "ROLLING-009", "ROLLING-010"}, Planner: remember(spareJoined)},
		{Name: "another-cause-is-another-failure",
			Says:   "Replaces a pod at once that failed for another reason than the one before it on the node.",
			Breaks: []string{"TARGET-010", "SURGE-024"}, Planner: remember(forgetOtherCauses)},
		{Name: "a-spec-that-comes-back-is-observed-already",
			Says:   "Does not observe a generation whose spec is one that it has observed before, but for the template of the generation between.",
			Breaks: []string{"STATUS-010", "STATUS-016"}, Planner: remember(observeOnce)},
	}
}

// emptySlowly takes it for a mistake that most nodes leave, as the controller of node lifecycles does where most of a zone is not Ready.
func emptySlowly(m *memory[time.Time]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		leaves := map[string]bool{}
		staying := 0
		for _, each := range state.Nodes {
			if _, keeps := plan.Eligibility(state.DaemonSet, each); keeps {
				staying++
			} else {
				leaves[each.Name] = true
			}
		}
		leaving := sets.New[string]()
		for _, deletion := range actions.DeletePods {
			if leaves[deletion.Node] {
				leaving.Insert(deletion.Node)
			}
		}
		if staying == 0 || leaving.Len() <= staying {
			return
		}
		next, first := m.of(state), sets.List(leaving)[0]
		if wait := next.Sub(now); wait > 0 {
			first = ""
			comeBack(actions, wait)
		} else {
			*next = now.Add(time.Minute)
			comeBack(actions, time.Minute)
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool { return leaves[d.Node] && d.Node != first })
	})
}

// waitForRefusedNeighbours remembers of each namespace whose pods are refused in it.
func waitForRefusedNeighbours() Around {
	var mu sync.Mutex
	refused := map[string]sets.Set[types.UID]{}
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		mu.Lock()
		defer mu.Unlock()
		ds := state.DaemonSet
		if refused[ds.Namespace] == nil {
			refused[ds.Namespace] = sets.New[types.UID]()
		}
		here := refused[ds.Namespace]
		if here.Delete(ds.UID); here.Len() > 0 {
			withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
			withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason == plan.ReasonSurge })
			comeBack(actions, time.Second)
		}
		if state.Refused != nil {
			here.Insert(ds.UID)
		}
	})
}

// joiningSeen is a template with the nodes that there were when it was first seen.
type joiningSeen struct {
	template string
	nodes    sets.Set[string]
}

func spareJoined(m *memory[joiningSeen]) Around {
	return limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
		began, ds := m.of(state), state.DaemonSet
		if template := plan.TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount); template != began.template {
			*began = joiningSeen{template, sets.New[string]()}
			for _, each := range state.Nodes {
				began.nodes.Insert(each.Name)
			}
		}
		return scaled(value, eligibleNodes(state), true) + howMany(nodes(state), func(n *node) bool {
			return n.eligible && !began.nodes.Has(n.name) && available(state, n.news, now)
		})
	})
}

// forgetOtherCauses remembers of each node for what reason the last pod failed that it deleted there.
func forgetOtherCauses(m *memory[map[string]string]) Around {
	return both(
		seeing(func(state *plan.State, _ time.Time) {
			last := *m.of(*state)
			forgetBackoffs(state, func(n *node) bool {
				before, known := last[n.name]
				return known && slices.ContainsFunc(n.ended, func(pod *corev1.Pod) bool { return pod.Status.Reason != before })
			})
		}),
		doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			last := m.of(state)
			if *last == nil {
				*last = map[string]string{}
			}
			for _, deletion := range actions.DeletePods {
				if deletion.Reason == plan.ReasonFailed {
					(*last)[deletion.Node] = deletion.Pod.Status.Reason
				}
			}
		}),
	)
}

// specsSeen are the specs that it has seen, without their templates.
type specsSeen struct {
	generation int64
	template   corev1.PodTemplateSpec
	last       string
	all        sets.Set[string]
	// again: the spec of the generation is an earlier one, and not for its template's sake.
	again bool
}

func observeOnce(m *memory[specsSeen]) Around {
	return reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
		seen, ds := m.of(state), state.DaemonSet
		if seen.generation != ds.Generation {
			rest := ds.Spec.DeepCopy()
			rest.Template = corev1.PodTemplateSpec{}
			body, err := json.Marshal(rest)
			if err != nil {
				return
			}
			spec := string(body)
			seen.again = spec != seen.last && seen.all.Has(spec) && apiequality.Semantic.DeepEqual(seen.template, ds.Spec.Template)
			if seen.all == nil {
				seen.all = sets.New[string]()
			}
			seen.all.Insert(spec)
			seen.generation, seen.template, seen.last = ds.Generation, *ds.Spec.Template.DeepCopy(), spec
		}
		if seen.again {
			status.ObservedGeneration = ds.Status.ObservedGeneration
		}
	})
}
