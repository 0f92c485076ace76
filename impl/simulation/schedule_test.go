package simulation

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
)

// A schedule is what real control planes play, too. The simulation has more acts than they have.
type (
	planned  = shared.Step
	schedule = shared.Steps
	strategy = shared.Strategy
)

// carryOut lets the acts happen, each after its wait.
func (w *world) carryOut(s schedule, flavour flavour) {
	all := acts(flavour)
	for _, p := range s {
		w.advance(p.Wait)
		i := slices.IndexFunc(all, func(a act) bool { return a.name == p.Act })
		all[i].do(w, p.A, p.B)
	}
}

// flavour is what a property's schedules are made of.
type flavour struct {
	// strategies that the DaemonSet may have.
	strategies []strategy
	// deletes says that the DaemonSet itself may be deleted and created again.
	deletes bool
	// gates says that the controller may be started with another feature gate.
	gates bool
	// tampers says that somebody may lay hands on the DaemonSet's revisions.
	tampers bool
	// owners says that pods and revisions may have several owners, or other ones.
	owners bool
	// odd says that what hardly ever happens may happen: templates that few have, names that are taken, nodes in trouble, half an hour of quiet.
	odd bool
	// stalls says that pods may show what keeps them from becoming available.
	stalls bool
	// inPlace says that the DaemonSet may ask for updates in place; crosses that pods have several containers then, whose updates are crossed by others.
	inPlace, crosses bool
}

func surging() []strategy { return shared.Surging() }

func rolling() []strategy { return shared.Rolling() }

func everyStrategy() []strategy { return shared.Strategies() }

// bothLimits are strategies that apps/v1 refuses and another API may have (API-006).
func bothLimits() []strategy {
	return []strategy{{MaxSurge: "1", MaxUnavailable: "1"}, {MaxSurge: "50%", MaxUnavailable: "25%"}}
}

// drawSetup draws what a simulation begins with.
func drawSetup(t *rapid.T, f flavour) setup {
	return setup{
		InPlace:         f.inPlace && rapid.SampledFrom([]bool{true, true, false}).Draw(t, "in place"),
		Nodes:           rapid.IntRange(1, 7).Draw(t, "nodes"),
		Strategy:        rapid.SampledFrom(f.strategies).Draw(t, "strategy"),
		MinReadySeconds: rapid.SampledFrom([]int32{0, 0, 1, 5, 10}).Draw(t, "minReadySeconds"),
		HistoryLimit:    rapid.SampledFrom([]int32{10, 2, 1, 0}).Draw(t, "revisionHistoryLimit"),
		Lag:             rapid.SampledFrom([]time.Duration{0, 50 * time.Millisecond, 300 * time.Millisecond, 700 * time.Millisecond}).Draw(t, "lag"),
		Pace: pace{
			Start: rapid.SampledFrom([]time.Duration{500 * time.Millisecond, 3 * time.Second, 10 * time.Second}).Draw(t, "start"),
			Stop:  rapid.SampledFrom([]time.Duration{300 * time.Millisecond, 3 * time.Second, 10 * time.Second}).Draw(t, "stop"),
			Skew:  rapid.SampledFrom([]time.Duration{0, 0, 2 * time.Second}).Draw(t, "skew"),
		},
		Seed: rapid.Uint64Range(0, 1<<20).Draw(t, "seed"),
	}
}

// drawSchedule draws some 50 acts. They are drawn in several parts, since rapid draws short lists, each of which shrinks to nothing.
func drawSchedule(t *rapid.T, f flavour) schedule {
	var names []string
	for _, a := range acts(f) {
		// Once for every time that it should come up.
		names = append(names, slices.Repeat([]string{a.name}, a.weight)...)
	}
	waits := []time.Duration{
		0, 100 * time.Millisecond, 500 * time.Millisecond, 1200 * time.Millisecond, 3 * time.Second, 6 * time.Second, 12 * time.Second, 30 * time.Second,
	}
	one := rapid.Custom(func(t *rapid.T) planned {
		return planned{
			Wait: rapid.SampledFrom(waits).Draw(t, "wait"),
			Act:  rapid.SampledFrom(names).Draw(t, "act"),
			A:    rapid.IntRange(0, 20).Draw(t, "a"),
			B:    rapid.IntRange(0, 20).Draw(t, "b"),
		}
	})
	var all schedule
	for part := range 8 {
		all = append(all, rapid.SliceOfN(one, 0, 20).Draw(t, fmt.Sprintf("part %d", part))...)
	}
	return all
}
