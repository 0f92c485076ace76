package variants

import (
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulOrders update nodes in another order.
func lawfulOrders() []Variant {
	const order = "No requirement says which of several healthy nodes comes first."
	return []Variant{
		{Name: "nodes-in-reverse", Says: "Goes over the nodes in the reverse order of their names.", Lawful: order,
			Planner: seeing(func(state *plan.State, _ time.Time) {
				state.Nodes = slices.Clone(state.Nodes)
				slices.Reverse(state.Nodes)
			})},
		{Name: "nodes-at-random", Says: "Goes over the nodes in a random order, another one in every pass.", Lawful: order,
			Planner: remember(func(m *memory[rand.PCG]) Around {
				return seeing(func(state *plan.State, _ time.Time) {
					state.Nodes = shuffled(state.Nodes, m.of(*state), state.DaemonSet.UID)
				})
			})},
		{Name: "creations-at-random", Says: "Makes the creations and the deletions of a pass in a random order.", Lawful: order,
			Planner: remember(func(m *memory[rand.PCG]) Around {
				return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					actions.CreatePods = shuffled(actions.CreatePods, m.of(state), state.DaemonSet.UID)
					actions.DeletePods = shuffled(actions.DeletePods, m.of(state), state.DaemonSet.UID)
				})
			})},
		{Name: "youngest-nodes-first", Says: "Goes over the nodes from the youngest to the oldest.", Lawful: order,
			Planner: seeing(func(state *plan.State, _ time.Time) {
				state.Nodes = slices.Clone(state.Nodes)
				slices.SortStableFunc(state.Nodes, func(a, b *corev1.Node) int { return b.CreationTimestamp.Compare(a.CreationTimestamp.Time) })
			})},
	}
}

// shuffled returns the items in a random order. What is random begins with the DaemonSet's UID, so that it is the same in the same simulation.
func shuffled[T any](items []T, source *rand.PCG, uid types.UID) []T {
	if *source == (rand.PCG{}) {
		for _, c := range uid {
			source.Seed(uint64(c), source.Uint64())
		}
	}
	items = slices.Clone(items)
	rand.New(source).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items
}
