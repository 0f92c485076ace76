package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenRefills go by the pod that a node had before the one that it has, or is to have.
func brokenRefills() []Variant {
	withoutSurge := func(state plan.State) bool { return !onDelete(state) && !maySurge(state) }
	return []Variant{
		{Name: "rolling-replaces-by-the-template-of-the-deletion",
			Says:   "Without surge, creates the next pod of a node by the template that was in force when the last one's deletion began.",
			Breaks: []string{"TARGET-004"}, Planner: remember(replaceAsDeleted(withoutSurge))},
		{Name: "what-others-delete-comes-back-as-it-was",
			Says:   "Without surge, creates a pod in the place of an old one that somebody else deleted from the template of that, and replaces it when its turn comes.",
			Breaks: []string{"TARGET-004"}, Planner: remember(refillAsItWas(withoutSurge))},
		{Name: "restarts-what-a-rollout-made",
			Says:   "Without surge, deletes a pod that was Ready and is not any more, once no node has an old pod, if it came in the place of an old one.",
			Breaks: []string{"ROLLING-015"}, Planner: remember(restartReplacements(withoutSurge))},
	}
}

// replaced is what is remembered of the pods that old ones made way for.
type replaced struct {
	// own are the pods that the planner has deleted.
	own sets.Set[types.UID]
	// taken are the hashes of the pods that somebody else deleted, by their nodes, until these have another pod.
	taken map[string]string
	// nodes are those on which an old pod was deleted; ready the pods that have been Ready.
	nodes sets.Set[string]
	ready sets.Set[types.UID]
}

func (r *replaced) note(state plan.State) {
	if r.own == nil {
		*r = replaced{own: sets.New[types.UID](), taken: map[string]string{}, nodes: sets.New[string](), ready: sets.New[types.UID]()}
	}
	hash := plan.TemplateHash(&state.DaemonSet.Spec.Template, state.DaemonSet.Status.CollisionCount)
	for _, n := range nodes(state) {
		if len(n.olds)+len(n.news) > 0 {
			delete(r.taken, n.name)
		}
		for _, pod := range n.leaving {
			if was := pod.Labels[plan.HashLabel]; was != hash && !r.own.Has(pod.UID) {
				r.taken[n.name] = was
			}
		}
		for _, pod := range n.news {
			if plan.IsReady(pod) {
				r.ready.Insert(pod.UID)
			}
		}
	}
}

func refillAsItWas(applies func(plan.State) bool) func(*memory[replaced]) Around {
	return func(m *memory[replaced]) Around {
		return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			seen := m.of(state)
			seen.note(state)
			for _, deletion := range actions.DeletePods {
				seen.own.Insert(deletion.Pod.UID)
			}
			if !applies(state) {
				return
			}
			actions.CreatePods = slices.Clone(actions.CreatePods)
			for i, creation := range actions.CreatePods {
				if hash, taken := seen.taken[creation.Node]; taken {
					createOf(hash, &actions.CreatePods[i], state)
				}
			}
		})
	}
}

// createOf makes the pod to create one of the revision with that hash, if there is one.
func createOf(hash string, creation *plan.PodCreation, state plan.State) {
	at := slices.IndexFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Labels[plan.HashLabel] == hash })
	if at < 0 || plan.StoredTemplate(state.Revisions[at]) == nil {
		return
	}
	former := state.DaemonSet.DeepCopy()
	plan.StoredTemplate(state.Revisions[at]).DeepCopyInto(&former.Spec.Template)
	creation.Hash, creation.Pod = hash, plan.NewPod(former, hash, creation.Node)
}

func restartReplacements(applies func(plan.State) bool) func(*memory[replaced]) Around {
	return func(m *memory[replaced]) Around {
		return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
			seen := m.of(state)
			seen.note(state)
			for _, deletion := range actions.DeletePods {
				seen.nodes.Insert(deletion.Node)
			}
			all := nodes(state)
			if !applies(state) || slices.ContainsFunc(all, func(n *node) bool { return len(n.olds) > 0 }) {
				return
			}
			for _, n := range all {
				i := slices.IndexFunc(n.news, func(pod *corev1.Pod) bool { return seen.ready.Has(pod.UID) && !plan.IsReady(pod) })
				if i >= 0 && n.eligible && seen.nodes.Has(n.name) {
					remove(actions, n.news[i], plan.ReasonOldUnavailable)
				}
			}
		})
	}
}
