package simulation

import (
	"slices"
	"time"
)

// knownShapes are one for each shape, of a rollout of which nothing is known, and of one that is known to stall.
func knownShapes() []knownScenario {
	f := flavour{strategies: everyStrategy(), stalls: true, crosses: true}
	const prepare = "update to a broken image beside every kind of container"
	all := shapes()
	loops := slices.IndexFunc(all, func(s shape) bool { return s.name == "loops "+daemonName })
	scenarios := make([]knownScenario, 0, 2*len(all))
	for i, s := range all {
		scenario := func(name string, nodes int, parts ...schedule) knownScenario {
			return knownScenario{
				"a pod shows: " + s.name + name, setup{Nodes: nodes, Strategy: strategy{MaxSurge: "0", MaxUnavailable: "2"}, HistoryLimit: 10, Pace: quickPods()},
				f, slices.Concat(then(prepare), slices.Concat(parts...), then("update", says)),
			}
		}
		scenarios = append(scenarios,
			scenario("", 3, after(5*time.Second, "updated pods show a shape", i)),
			scenario(", in a stall", 1, after(5*time.Second, "updated pods show a shape", loops), on("updated pods show a shape, and the stall is known", i, 0)),
		)
	}
	return scenarios
}
