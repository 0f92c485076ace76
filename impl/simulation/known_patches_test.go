package simulation

import (
	"fmt"
	"slices"
	"time"
)

// knownPatches are updates in place in all the ways in which they may take long, be crossed by others, or be no updates in place.
func knownPatches() []knownScenario {
	f := flavour{strategies: rolling(), inPlace: true, crosses: true}
	quick := quickPods()
	slow := pace{Start: 3 * time.Second, Stop: 10 * time.Second}
	scenario := func(name string, of pace, parts ...schedule) knownScenario {
		return knownScenario{
			"in place: " + name, setup{Nodes: 3, Strategy: strategy{MaxSurge: "0", MaxUnavailable: "1"}, InPlace: true, HistoryLimit: 10, Pace: of},
			f, slices.Concat(parts...),
		}
	}
	every, other := then("update every container"), after(40*time.Second, "update the other container", 0)
	update := after(40*time.Second, "update", 0)
	var all []knownScenario
	for _, of := range []pace{quick, slow} {
		speed := "quick"
		if of == slow {
			speed = "slow"
		}
		all = append(all,
			scenario("one container of two, "+speed, of, every, other, update, update),
			scenario("both containers, "+speed, of, every, after(time.Minute, "update every container", 0), after(5*time.Second, "update the other container", 0)),
			scenario("one after the other, "+speed, of, every, other, after(200*time.Millisecond, "update", 0), after(200*time.Millisecond, "update the other container", 0)),
			scenario("more than images, "+speed, of, every, after(time.Minute, "update to one container", 0), update, after(time.Minute, "update an init container", 0), update),
			scenario("again before it took effect, "+speed, of, then("update"), after(200*time.Millisecond, "update", 0), after(2*time.Second, "update", 0), after(2*time.Second, "update", 0)),
		)
		for _, tenths := range []int{1, 4, 9, 20} {
			all = append(all, scenario(fmt.Sprintf("taken back after %d ms, %s", tenths*100, speed), of,
				on("update, and take it back at once", tenths, 0), on("update, and take it back at once", tenths, 0), update))
		}
	}
	// The kubelet of a node hears of nothing for a while, and its containers end by themselves.
	var deaf schedule
	for node := range 3 {
		deaf = slices.Concat(deaf, on("a node goes down", node, 0), after(20*time.Second, "update", 0), after(2*time.Second, "a container is restarted", 0),
			on("a container is restarted", 0, 1), on("a container is restarted", 0, 2), after(10*time.Second, "a node comes up", node), after(40*time.Second, "update", 0))
	}
	young := scenario("pods that are not available yet", quick, then("update"), update)
	young.setup.MinReadySeconds = 10
	all = append(all, young,
		scenario("containers that end by themselves", quick, deaf),
		scenario("two containers that end by themselves", quick, every, after(time.Minute, "update the other container", 0), deaf),
		scenario("refused", quick, then("the API server refuses updates of pods", "update"), after(time.Minute, "the API server admits updates of pods", 0)),
	)
	for _, of := range []pace{quick, slow} {
		uncounted := scenario(fmt.Sprintf("pods without generations that take %s to end", of.Stop), of, every, update, other, update)
		uncounted.setup.Uncounted = true
		all = append(all, uncounted)
	}
	return append(all, latePatches()...)
}

// latePatches are containers that end by themselves once their pods are back from an update: that puts nothing off.
func latePatches() []knownScenario {
	f := flavour{strategies: []strategy{{MaxSurge: "0", MaxUnavailable: "1"}, {MaxSurge: "1", MaxUnavailable: "0"}}, inPlace: true, crosses: true}
	scenario := func(name string, parts ...schedule) knownScenario {
		return knownScenario{
			"in place: " + name, setup{Nodes: 3, Strategy: f.strategies[0], InPlace: true, HistoryLimit: 10, MinReadySeconds: 10, Pace: quickPods()}, f, slices.Concat(parts...),
		}
	}
	updated := after(20*time.Second, "update", 0)
	const ends = "a container is restarted"
	end := slices.Concat(after(time.Minute, ends, 0), on(ends, 0, 1), on(ends, 0, 2), on(ends, 0, 0), after(time.Second, ends, 1), on(ends, 0, 2))
	return []knownScenario{
		scenario("containers end later", updated, end, then("update")),
		scenario("containers end later, and the next update surges", updated, end, on("change the strategy", 1, 0), then("update")),
		scenario("containers end later, beside a pod that is not Ready", updated, after(time.Minute, "a pod becomes unready", 0), end, then("update")),
		scenario("containers end later, beside a pod that is not Ready, and the next update surges", updated, after(time.Minute, "a pod becomes unready", 0), end,
			on("change the strategy", 1, 0), then("update")),
	}
}
