package variants

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenStrangersRollouts are of an author who knows the documents and the reference alone. Each is a slip of bookkeeping that takes two things, or an order of them, to show.
func brokenStrangersRollouts() []Variant {
	return []Variant{
		{Name: "judges-nodes-once-for-each-template",
			Says:   "Decides about a node as it did when the template was in force before, unless the node changed for the template that was in force between.",
			Breaks: []string{"TARGET-001", "SURGE-012"}, Planner: remember(judgeOnce)},
		{Name: "what-another-rollout-took-down-costs-nothing",
			Says:   "Does not hold a node against maxUnavailable that has no running pod when the template changes, until it has one.",
			Breaks: []string{"ROLLING-002", "ROLLING-009", "ROLLBACK-004"}, Planner: remember(forgetFormerRollout)},
		{Name: "on-delete-counts-force-deleted-pods-as-updated",
			Says:   "With the OnDelete strategy, goes on to count an updated pod that vanished and was never seen to terminate.",
			Breaks: []string{"STATUS-008"}, Planner: remember(countVanished)},
	}
}

// judgements are the nodes as they were judged, by the hash of the template.
type judgements struct {
	last   map[types.UID]*corev1.Node
	judged map[string]map[types.UID]*corev1.Node
}

// judgeOnce keeps a judgement until the node changes so that it is eligible for the template in force and was not, or the other way round: the judgements for
// other templates are forgotten then too, and only then.
func judgeOnce(m *memory[judgements]) Around {
	return deciding(func(state *plan.State, _ time.Time) {
		j, hash, last := m.of(*state), hashOfCurrent(*state), map[types.UID]*corev1.Node{}
		if j.judged == nil {
			j.judged = map[string]map[types.UID]*corev1.Node{}
		}
		if j.judged[hash] == nil {
			j.judged[hash] = map[types.UID]*corev1.Node{}
		}
		state.Nodes = slices.Clone(state.Nodes)
		for i, each := range state.Nodes {
			if before := j.last[each.UID]; before != nil {
				wasRun, wasKept := plan.Eligibility(state.DaemonSet, before)
				isRun, isKept := plan.Eligibility(state.DaemonSet, each)
				if wasRun != isRun || wasKept != isKept {
					for _, judged := range j.judged {
						delete(judged, each.UID)
					}
				}
			}
			last[each.UID] = each
			known := j.judged[hash][each.UID]
			if known == nil {
				j.judged[hash][each.UID] = each
				continue
			}
			shown := each.DeepCopy()
			shown.Labels, shown.Spec.Taints = maps.Clone(known.Labels), slices.Clone(known.Spec.Taints)
			state.Nodes[i] = shown
		}
		j.last = last
	})
}

// takenDown are the nodes that had no running pod when the template became the one of that hash, and have had none since.
type takenDown struct {
	hash  string
	nodes map[string]bool
}

// forgetFormerRollout keeps the nodes that it waits for with the rollout, and begins each with none.
func forgetFormerRollout(m *memory[takenDown]) Around {
	return limiting(maxUnavailable, func(_ *intstr.IntOrString, state plan.State, _ time.Time) int {
		t, empty := m.of(state), map[string]bool{}
		for _, n := range nodes(state) {
			if n.eligible && len(n.olds)+len(n.news)+len(n.ended) == 0 {
				empty[n.name] = true
			}
		}
		if hash := hashOfCurrent(state); t.hash != hash {
			if t.hash != "" {
				t.nodes = empty
			}
			t.hash = hash
		}
		maps.DeleteFunc(t.nodes, func(name string, _ bool) bool { return !empty[name] })
		if maySurge(state) {
			return limitOf(state, maxUnavailable)
		}
		return limitOf(state, maxUnavailable) + len(t.nodes)
	})
}

// tracked are the updated pods of one template that were seen, but for those that were seen to terminate or end.
type tracked struct {
	hash string
	pods map[types.UID]bool
}

// countVanished drops a pod from its index when the pod is marked for deletion, and so keeps one that goes without.
func countVanished(m *memory[tracked]) Around {
	return reporting(func(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
		t, onDelete := m.of(state), state.DaemonSet.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
		if !onDelete || t.hash != hashOfCurrent(state) {
			*t = tracked{hash: hashOfCurrent(state), pods: map[types.UID]bool{}}
		}
		if !onDelete {
			return
		}
		there := map[types.UID]bool{}
		for _, pod := range state.Pods {
			there[pod.UID] = true
		}
		for _, n := range nodes(state) {
			for _, pod := range slices.Concat(n.leaving, n.ended) {
				delete(t.pods, pod.UID)
			}
			for _, pod := range n.news {
				if n.eligible {
					t.pods[pod.UID] = true
				}
			}
		}
		vanished := int32(0)
		for uid := range t.pods {
			if !there[uid] {
				vanished++
			}
		}
		status.UpdatedNumberScheduled = min(status.UpdatedNumberScheduled+vanished, max(status.CurrentNumberScheduled, status.UpdatedNumberScheduled))
	})
}
