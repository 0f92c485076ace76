package simulation

import (
	"slices"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// knownScenario is a simulation that once broke a promise, or that shows in short what random schedules show late.
type knownScenario struct {
	name     string
	setup    setup
	flavour  flavour
	schedule schedule
}

func knownScenarios() []knownScenario { return slices.Concat(shown(), regressions()) }

// shown are simulations that show one situation each.
func shown() []knownScenario {
	return slices.Concat(knownStalls(), knownShapes(), knownMoves(), knownPatches(), knownHistories(), knownOwners())
}

// regressions are simulations in which the reference once broke a promise.
func regressions() []knownScenario {
	slowToEnd := pace{Start: 3 * time.Second, Stop: 10 * time.Second}
	quick := pace{Start: 500 * time.Millisecond, Stop: 300 * time.Millisecond}
	one := strategy{MaxSurge: "1", MaxUnavailable: "0"}
	return []knownScenario{
		{
			"a rollback while more nodes than maxSurge still have the pod that is current again, terminating",
			setup{Nodes: 5, Strategy: strategy{MaxSurge: "2", MaxUnavailable: "0"}, HistoryLimit: 2, Pace: slowToEnd},
			flavour{strategies: surging()},
			schedule{{Act: "update"}, {Wait: 6 * time.Second, Act: "roll back"}},
		},
		{
			"an update while the only node repels new pods but keeps the old one",
			setup{Nodes: 1, Strategy: strategy{MaxSurge: "0", MaxUnavailable: "25%"}, HistoryLimit: 10, Pace: quick},
			flavour{strategies: rolling()},
			schedule{{Act: "a node is tainted NoSchedule"}, {Wait: 3 * time.Second, Act: "update"}},
		},
		{
			"a rollback before the cache shows the revision that was just created",
			setup{Nodes: 1, Strategy: strategy{MaxSurge: "0", MaxUnavailable: "1"}, HistoryLimit: 10, Lag: 700 * time.Millisecond, Pace: quick},
			flavour{strategies: rolling()},
			schedule{{Act: "update"}, {Wait: 3 * time.Second, Act: "update"}, {Wait: 200 * time.Millisecond, Act: "roll back", A: 1}},
		},
		{
			"a rollback while the API server refuses some writes",
			setup{Nodes: 1, Strategy: strategy{MaxSurge: "0", MaxUnavailable: "1"}, HistoryLimit: 10, Pace: quick},
			flavour{strategies: rolling()},
			schedule{{Act: "update"}, {Wait: 3 * time.Second, Act: "break the network"}, {Act: "roll back"}},
		},
		{
			"a DaemonSet that is created again under the name of one whose revisions are not gone yet",
			setup{Nodes: 1, Strategy: one, HistoryLimit: 10, Pace: quick},
			flavour{strategies: surging(), deletes: true},
			schedule{{Act: "update"}, {Wait: 3 * time.Second, Act: "delete the DaemonSet and create it again"}, {Wait: 100 * time.Millisecond, Act: "roll back", A: 1}},
		},
		{
			"a DaemonSet that adopts the pod of a template which differs from its own in the grace period alone",
			setup{Nodes: 1, Strategy: one, HistoryLimit: 10, Pace: quick},
			flavour{strategies: surging(), deletes: true, owners: true},
			schedule{
				{Act: "delete the DaemonSet and create it again"}, {Act: "update all but the image", A: 1}, {Wait: 1200 * time.Millisecond, Act: "update"},
				{Wait: 500 * time.Millisecond, Act: "delete the DaemonSet but leave its pods, and create it again"},
			},
		},
		{
			"pods that fail for an hour while surging",
			setup{Nodes: 2, Strategy: one, HistoryLimit: 10, Pace: quick},
			flavour{strategies: surging()},
			schedule{{Act: "update to a crashing image"}, {Wait: time.Hour, Act: "update"}},
		},
		{
			"pods that fail for an hour while rolling",
			setup{Nodes: 2, Strategy: strategy{MaxSurge: "0", MaxUnavailable: "2"}, HistoryLimit: 10, Pace: quick},
			flavour{strategies: rolling()},
			schedule{{Act: "update to a crashing image"}, {Wait: time.Hour, Act: "update"}},
		},
		{
			"a DaemonSet that is created again before the cache shows that the pods of the one before it were left behind",
			setup{Nodes: 3, Strategy: one, HistoryLimit: 10, Lag: 700 * time.Millisecond, Pace: quick},
			flavour{strategies: surging(), deletes: true},
			schedule{{Wait: 3 * time.Second, Act: "delete the DaemonSet but leave its pods, and create it again"}},
		},
		{
			"a DaemonSet that is created again without the history of pods that have the number of its next template",
			setup{Nodes: 7, Strategy: one, HistoryLimit: 10, Pace: quick},
			flavour{strategies: surging(), deletes: true, owners: true},
			schedule{
				{Act: "update"}, {Act: "update", A: 1}, {Act: "update", A: 15, B: 18}, {Wait: 30 * time.Second, Act: "update", B: 20},
				{Wait: 100 * time.Millisecond, Act: "update"}, {Wait: 100 * time.Millisecond, Act: "update", B: 1},
				{Wait: 30 * time.Second, Act: "update", A: 1}, {Wait: 100 * time.Millisecond, Act: "update", A: 1, B: 1},
				{Wait: 1200 * time.Millisecond, Act: "delete the DaemonSet in the foreground, and create it again once it is gone", A: 1, B: 13},
				{Wait: 12 * time.Second, Act: "update to run on one pool", A: 20, B: 4}, {Wait: 12 * time.Second, Act: "update", A: 5, B: 16},
				{Wait: 100 * time.Millisecond, Act: "delete the DaemonSet but leave its pods, and create it again", A: 2},
				{Wait: 500 * time.Millisecond, Act: "another controller takes a revision", B: 4}, {Act: "update", A: 17, B: 11},
			},
		},
		{
			"a pod of the template before ended on a node, and the rollout stands still at another one",
			setup{Nodes: 4, Strategy: one, HistoryLimit: 10, Pace: quick},
			flavour{strategies: everyStrategy(), stalls: true},
			schedule{
				{Wait: 100 * time.Millisecond, Act: "update where pods run", A: 18, B: 8}, {Wait: 500 * time.Millisecond, Act: "a node has no room", A: 6},
				{Wait: 1200 * time.Millisecond, Act: "update", B: 1}, {Wait: 1200 * time.Millisecond, Act: "update to a crashing image", B: 7},
				{Wait: 3 * time.Second, Act: "update", A: 2, B: 20}, {Wait: 30 * time.Second, Act: "update", A: 8, B: 18},
			},
		},
	}
}

// TestRegressionsStaySafe repeats what once went wrong, each with many seeds: that was by chance.
func TestRegressionsStaySafe(t *testing.T) { stayAllSafe(t, regressions(), 10) }

// TestKnownScenariosStaySafe shows situations that random schedules come by too rarely.
func TestKnownScenariosStaySafe(t *testing.T) { stayAllSafe(t, shown(), 3) }

func stayAllSafe(t *testing.T, scenarios []knownScenario, seeds uint64) {
	t.Helper()
	for _, scenario := range scenarios {
		t.Run(scenario.name, func(t *testing.T) {
			t.Parallel()
			staysSafe(t, reference, simulation{scenario.setup, scenario.schedule}, scenario.flavour, seeds)
		})
	}
}

// TestAdoptingLateStaysSafe repeats a schedule in which a planner that counted on pods before it had adopted them deleted the only one of a node.
func TestAdoptingLateStaysSafe(t *testing.T) {
	late, err := variants.Named("adopts-late")
	if err != nil {
		t.Fatal(err)
	}
	quick := pace{Start: 500 * time.Millisecond, Stop: 300 * time.Millisecond}
	staysSafe(t, late.Planner, simulation{
		setup{Nodes: 5, Strategy: strategy{MaxSurge: "50%", MaxUnavailable: "0"}, HistoryLimit: 1, Lag: 50 * time.Millisecond, Pace: quick},
		schedule{
			{Act: "update"}, {Wait: 30 * time.Second, Act: "delete the DaemonSet but leave its pods, and create it again"},
			{Wait: 1200 * time.Millisecond, Act: "update"}, {Wait: 500 * time.Millisecond, Act: "update"},
		},
	}, flavour{strategies: surging(), deletes: true}, 10)
}

// staysSafe lives through the simulation once with each seed.
func staysSafe(t *testing.T, planner variants.Around, s simulation, f flavour, seeds uint64) {
	t.Helper()
	for seed := range seeds {
		s.setup.Seed = seed
		if objections, _ := newWorld(s.setup, planner).judged(s.schedule, f); len(objections) > 0 {
			t.Fatalf("%v\n%+v\n%s", objections[0], s.setup, s.schedule)
		}
	}
}
