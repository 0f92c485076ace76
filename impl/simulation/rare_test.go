package simulation

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// rarePlanner is a broken variant that random schedules find out too rarely, with a simulation that does.
type rarePlanner struct {
	variant    string
	simulation simulation
	named      []requirements.ID
}

// rareFlavour has the acts of all their schedules.
func rareFlavour() flavour { return flavour{strategies: surging(), tampers: true} }

// rarePlanners all surge.
func rarePlanners() []rarePlanner {
	quiet := setup{
		Nodes: 4, Strategy: strategy{MaxSurge: "1", MaxUnavailable: "0"}, HistoryLimit: 10,
		Pace: pace{Start: 500 * time.Millisecond, Stop: 300 * time.Millisecond},
	}
	// The first pod that the DaemonSet has is held, and taken away.
	taken := func(how string) schedule {
		return schedule{{Act: "a pod is slow to end"}, {Act: how}, {Wait: 30 * time.Second, Act: "a pod ends at last"}}
	}
	during := schedule{{Act: "update to a broken image"}, {Wait: 3 * time.Second, Act: "a pod becomes ready"}}
	cordonAll := schedule{
		{Act: "a node is cordoned"}, {Act: "a node is cordoned", A: 1}, {Act: "a node is cordoned", A: 2}, {Act: "a node is cordoned", A: 3},
	}
	// The pod of the node that joins never becomes ready, so that of two nodes that are closed one has a pod to spare.
	closed := schedule{
		{Act: "update to a broken image"}, {Wait: 3 * time.Second, Act: "a node joins"},
		{Wait: 3 * time.Second, Act: "a node is tainted NoSchedule", A: 2}, {Act: "a node is tainted NoSchedule", A: 3}, {Wait: 6 * time.Second, Act: "a pod becomes ready"},
	}
	// Three templates have been in force before; then somebody lays hands on the history of one.
	histories := func(act string, a, b int) schedule {
		const through = 20 * time.Second
		return schedule{
			{Wait: through, Act: "update"}, {Wait: through, Act: "update"}, {Wait: through, Act: "update"}, {Wait: through, Act: act, A: a, B: b}, {Wait: through, Act: "a node is cordoned"},
		}
	}
	copied := schedule{{Wait: 20 * time.Second, Act: "somebody copies a revision", B: 3}, {Wait: 20 * time.Second, Act: "a node is cordoned"}}
	return []rarePlanner{
		{"closed-nodes-share-one-spare", simulation{quiet, closed}, ids("SURGE-017")},
		{"waits-for-terminating-pods", simulation{quiet, taken("somebody deletes a pod")}, ids("DRAIN-002")},
		{"waits-for-terminating-pods", simulation{quiet, slices.Concat(cordonAll, taken("somebody evicts a pod"))}, ids("DRAIN-006")},
		{"waits-for-terminating-pods", simulation{quiet, slices.Concat(during, taken("somebody deletes a pod"))}, ids("UNREADY-002")},
		{"waits-for-terminating-pods", simulation{quiet, slices.Concat(during, taken("somebody evicts a pod"))}, ids("UNREADY-003")},
		{"keeps-duplicate-histories", simulation{quiet, copied}, ids("HISTORY-011")},
		{"trims-history-only-for-a-new-template", simulation{quiet, histories("change revisionHistoryLimit", 0, 0)}, ids("HISTORY-021")},
		{"adopts-no-history", simulation{quiet, histories("somebody releases a revision", 0, 0)}, ids("HISTORY-014")},
		{"leaves-histories-unlabelled", simulation{quiet, histories("somebody takes the label off a revision", 0, 0)}, ids("HISTORY-013")},
	}
}

// TestBrokenPlannersAreCaughtWhereItIsRare is TestBrokenPlannersAreCaught with simulations made for the planner. None of them is one in which the
// reference breaks anything.
func TestBrokenPlannersAreCaughtWhereItIsRare(t *testing.T) {
	for _, rare := range rarePlanners() {
		t.Run(rare.variant+" "+string(rare.named[0]), func(t *testing.T) {
			t.Parallel()
			variant, err := variants.Named(rare.variant)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(3) {
				rare.simulation.setup.Seed = seed
				if objections, _ := newWorld(rare.simulation.setup, reference).judged(rare.simulation.schedule, rareFlavour()); len(objections) > 0 {
					t.Fatalf("seed %d, the reference: %v", seed, objections[0])
				}
				objections, _ := newWorld(rare.simulation.setup, variant.Planner).judged(rare.simulation.schedule, rareFlavour())
				for _, id := range rare.named {
					names := func(objection error) bool {
						var promise brokenPromise
						return errors.As(objection, &promise) && promise.requirement == id
					}
					if !slices.ContainsFunc(objections, names) {
						t.Errorf("seed %d did not show that it breaks %s: %v", seed, id, objections)
					}
				}
			}
		})
	}
}
