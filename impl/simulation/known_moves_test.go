package simulation

import (
	"fmt"
	"slices"
	"time"
)

// none is that no stall is reported after a while.
const none = "a while after which no stall is reported"

// noneAfter is so many seconds after which no stall is reported.
func noneAfter(seconds int) schedule { return on(none, seconds, 0) }

// knownMoves are stalls of one node while something moves on another: the rollout goes on then, and no stall is reported until nothing does.
func knownMoves() []knownScenario {
	scenario := func(name string, s strategy, nodes int, parts ...schedule) knownScenario {
		return knownScenario{
			"beside a stall: " + name, setup{Nodes: nodes, Strategy: s, HistoryLimit: 10, Pace: quickPods()},
			flavour{strategies: everyStrategy(), stalls: true, crosses: true}, slices.Concat(parts...),
		}
	}
	one, two, all := strategy{MaxSurge: "0", MaxUnavailable: "1"}, strategy{MaxSurge: "0", MaxUnavailable: "2"}, strategy{MaxSurge: "0", MaxUnavailable: "100%"}
	surges := strategy{MaxSurge: "2", MaxUnavailable: "0"}
	ends := then("update", says)
	missing, slowToEnd, endsAtLast := then("update to a missing image"), "a pod is slow to end", "a pod ends at last"
	hold := slices.Concat(on(slowToEnd, 0, 0), on(slowToEnd, 0, 1), on(slowToEnd, 0, 2))
	release := slices.Concat(on(endsAtLast, 0, 0), on(endsAtLast, 0, 0), on(endsAtLast, 0, 0))
	// The only pod does.
	fails := func(wait time.Duration) schedule { return after(wait, "a pod fails", 0) }
	young := func(name string, node int) knownScenario {
		known := scenario(name, two, 2, on(noRoomOn, node, 0), then("update"), noneAfter(60), then(says), after(2*time.Minute, says, 0))
		known.setup.MinReadySeconds = 120
		return known
	}
	refused := func(name string, parts ...schedule) knownScenario {
		known := scenario(name, two, 3, then("the API server refuses updates of pods", "update to a broken image", says), slices.Concat(parts...),
			then("the API server admits updates of pods"), after(40*time.Second, "update", 0))
		known.setup.InPlace = true
		return known
	}
	slow := func(name string, seconds int32, parts ...schedule) knownScenario {
		known := scenario(name, one, 1, parts...)
		known.setup.MinReadySeconds = seconds
		return known
	}
	var skewed []knownScenario
	for seed := range uint64(4) {
		known := scenario(fmt.Sprintf("a node's clock is wrong, %d", seed), one, 1, then("update to a broken image"), noneAfter(5*60), then("update"))
		known.setup.Seed, known.setup.Pace.Skew = seed, time.Hour
		skewed = append(skewed, known)
	}
	return append(skewed,
		scenario("a pod starts on the last node", two, 2, on(noRoomOn, 0, 0), then("update to a broken image", says, saysLater), ends),
		scenario("a pod starts on the first node", two, 2, on(noRoomOn, 1, 0), then("update to a broken image", says, saysLater), ends),
		scenario("a pod starts between others", all, 3, on(noRoomOn, 0, 0), on(noRoomOn, 2, 2), then("update to a broken image", says, saysLater), ends),
		scenario("pods start beside old ones", surges, 2, on(noRoomOn, 0, 0), then("update to a broken image", says, saysLater), ends),
		young("a pod is young on the last node", 0),
		young("a pod is young on the first node", 1),
		scenario("a pod terminates when the limit grows", one, 3, missing, then(says), hold, on("change the strategy", 6, 0), noneAfter(20), release, then(says), ends),
		scenario("a pod terminates when a node has left", one, 3, missing, then(says), hold, on("a node leaves", 0, 0), noneAfter(20), release, then(says), ends),
		scenario("a pod terminates when one of two nodes that stall has left", two, 4, missing, then(says), hold, on(slowToEnd, 0, 3), on("a node leaves", 0, 0), noneAfter(20),
			release, on(endsAtLast, 0, 0), then(says), ends),
		scenario("pods terminate", two, 3, on(noRoomOn, 0, 0), on(slowToEnd, 0, 1), then("update"), noneAfter(20), release, then(says), ends),
		scenario("pods terminate before others", two, 3, on(noRoomOn, 1, 0), on(slowToEnd, 0, 0), then("update"), noneAfter(20), release, then(says), ends),
		scenario("the node that stalls is closed", two, 3, missing, then(says, "a node is tainted NoSchedule", says), ends),
		scenario("the node that stalls is closed, and all are up to date", one, 2, on(noRoomOn, 0, 0), then("update", says, "a node is tainted NoSchedule", says), ends),
		scenario("pods end well again and again", two, 3, then("update to a finishing image"), after(3*time.Minute, lasts, 0), then(says), ends),
		scenario("pods end well again and again beside old ones", surges, 3, then("update to a finishing image"), after(3*time.Minute, lasts, 0), then(says), ends),
		scenario("an old pod is not deleted beside one without image", surges, 3, on(keptOn, 0, 0), missing, then(says), on("a pod becomes unready", 0, 0), on("a pod becomes unready", 0, 1),
			on("a pod becomes unready", 0, 2), on("a pod becomes unready", 0, 3), on("a pod becomes unready", 0, 4), then(says, "the API server deletes pods"), ends),
		scenario("a port that a sidecar wants is taken", one, 3, on(noRoomOn, 0, 1), then("update to a sidecar with a port of the host", says, "a node has room again", says), ends),
		scenario("ports are lacking for a pod that has one of its own", one, 3, on(noRoomOn, 0, 1), then("update to a port of its own", says, "a node has room again", says), ends),
		scenario("an old pod fails just after an updated one", surges, 1, then("update to a broken image"), after(5*time.Second, "pods of an image fail", 1),
			after(200*time.Millisecond, "pods of an image fail", 0), after(300*time.Millisecond, none, 0), then(saysLater), ends),
		refused("updates are refused, and somebody deletes a pod", on("somebody deletes a pod", 0, 0), noneAfter(20), then(says)),
		refused("updates are refused, and somebody deletes pods", hold, on("somebody deletes a pod", 0, 0), on("somebody deletes a pod", 0, 1), then(says), release, then(says)),
		slow("a pod is Ready after it failed", 120, then("update"), fails(3*time.Second), fails(700*time.Millisecond), fails(1500*time.Millisecond), noneAfter(20), ends),
		slow("a pod is Ready for long, and not yet available", 1200, then("update"), noneAfter(15*60), ends),
		scenario("a pod that failed once starts", one, 1, then("update to a broken image"), fails(2*time.Second), noneAfter(60), then(saysLater), ends),
		scenario("somebody else writes conditions of a pod that is not Ready", one, 1, then("update to a broken image"), after(8*time.Minute, "somebody else writes conditions of pods", 0),
			after(4*time.Minute, says, 0), ends),
	)
}
