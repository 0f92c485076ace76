package simulation

import (
	"slices"
	"time"
)

// What known stalls are made of.
const (
	says      = "half a minute in which a stall is reported"
	saysLater = "half an hour in which a stall is reported"
	lasts     = "half an hour in which the stall lasts"
	noRoomOn  = "a node has no room"
	keptOn    = "the API server refuses to delete pods of a node"

	refusedForSome = "half an hour in which pods are refused for some nodes"
)

// quickPods start and end as quickly as they get.
func quickPods() pace { return pace{Start: 500 * time.Millisecond, Stop: 300 * time.Millisecond} }

// then is a schedule of acts that follow each other at once.
func then(acts ...string) schedule {
	var s schedule
	for _, name := range acts {
		s = append(s, planned{Act: name})
	}
	return s
}

// on is an act on what a and b choose.
func on(name string, a, b int) schedule { return schedule{{Act: name, A: a, B: b}} }

// after is an act after a while.
func after(wait time.Duration, name string, a int) schedule {
	return schedule{{Wait: wait, Act: name, A: a}}
}

// knownStalls are one for each reason of docs/conditions.md, and how each begins, lasts and ends.
func knownStalls() []knownScenario {
	both := flavour{strategies: everyStrategy(), stalls: true}
	scenario := func(name string, s strategy, parts ...schedule) knownScenario {
		return knownScenario{"a stall: " + name, setup{Nodes: 3, Strategy: s, HistoryLimit: 10, Pace: quickPods()}, both, slices.Concat(parts...)}
	}
	one, two := strategy{MaxSurge: "0", MaxUnavailable: "1"}, strategy{MaxSurge: "0", MaxUnavailable: "2"}
	surge, surges := strategy{MaxSurge: "1", MaxUnavailable: "0"}, strategy{MaxSurge: "2", MaxUnavailable: "0"}
	ends := then("update", says)
	late := scenario("reported late", surge, then("update to a missing image", says, "somebody writes a condition"), ends)
	late.setup.Lag = 700 * time.Millisecond
	busy := scenario("somebody else writes conditions", surge, then("somebody writes a condition", "update to a missing image"))
	for range 12 {
		busy.schedule = slices.Concat(busy.schedule, after(100*time.Millisecond, "somebody writes a condition", 0))
	}
	busy.schedule = slices.Concat(busy.schedule, then(says), ends)
	busy.setup.Lag = 700 * time.Millisecond
	young := scenario("pods that are not available yet are none", surges, then("update"), after(3*time.Second, says, 0))
	young.setup.MinReadySeconds = 120
	refused := scenario("updates in place are refused", two, then("the API server refuses updates of pods", "update", says, says, "the API server admits updates of pods"), after(40*time.Second, says, 0))
	refused.setup.InPlace, refused.flavour.crosses = true, true
	putOff := scenario("a pod that ended is not deleted, and the next attempt waits", surge, then("update", says), on("the API server refuses pods for a node", 3, 8),
		after(30*time.Second, "update", 0), schedule{{Wait: 500 * time.Millisecond, Act: "somebody deletes a pod by force", A: 17, B: 1}}, after(12*time.Second, keptOn, 0),
		then("a pod fails"), after(100*time.Millisecond, "update to a looping image", 0), after(100*time.Millisecond, says, 0))
	putOff.setup.Nodes = 2
	closed := schedule{{Act: "a node is tainted NoSchedule"}}
	return []knownScenario{
		late, busy, young, refused, putOff,
		scenario("an image cannot be had", one, then("update to a missing image", says), ends, then("update to a missing image", says, "roll back"), after(10*time.Second, says, 0)),
		scenario("images cannot be had on two nodes", two, then("somebody writes a condition", "update to a missing image", says), ends),
		scenario("an image cannot be had beside an old pod", surges, then("update to a missing image", says), closed, ends),
		scenario("an image cannot be had, and a node is closed", two, closed, then("update to a missing image", says), ends),
		scenario("containers loop", two, then("update to a looping image", says, "looping pods try again, and the stall lasts", lasts), ends),
		scenario("containers loop that end well", two, then("update to a looping image", says, "looping pods end well, and the stall lasts", lasts), ends),
		scenario("containers loop beside old pods", surge, then("update to a looping image", says, "looping pods try again, and the stall lasts"), ends),
		scenario("an init container loops", one, then("update to an init container that loops", says), ends),
		scenario("init containers that ended are none", one, then("update to an init container that ends", says, "update to a broken image", says, saysLater), ends),
		scenario("pods do not become Ready", one, then("update to a broken image", says, saysLater), ends),
		scenario("pods do not become Ready beside old ones", surges, then("update to a broken image", says, saysLater), ends),
		scenario("an updated pod is no longer Ready", one, then("update"), after(8*time.Minute, "a pod becomes unready", 0),
			after(5*time.Minute, says, 0), then(saysLater, "a pod becomes ready"), ends),
		scenario("pods fail again and again", two, then("update to a crashing image"), after(3*time.Minute, lasts, 0), then(says), ends),
		scenario("pods fail again and again beside old ones", surge, then("update to a crashing image"), after(3*time.Minute, lasts, 0), then(says), ends),
		scenario("a pod that fails once is none", one, then("update", says), on("a pod fails", 0, 1), after(5*time.Second, says, 0), on("a pod succeeds", 0, 2), then(says)),
		scenario("a node has no room", one, on(noRoomOn, 0, 0), then("update", says, "a node has room again", says), ends),
		scenario("two nodes have no room", two, on(noRoomOn, 0, 0), on(noRoomOn, 1, 2), then("update", says), on("a node has room again", 0, 0), then(says)),
		scenario("a node has no room beside an old pod", surges, on(noRoomOn, 1, 2), then("update", says), on("a node has room again", 1, 0), then(says)),
		scenario("a port of the host is taken", one, on(noRoomOn, 0, 1), then("update to use a port of the host", says, "a node has room again", says), ends),
		scenario("ports are lacking for a pod that wants none", one, on(noRoomOn, 0, 1), then("update", says, "a node has room again", says)),
		scenario("a pod that wants a port has no room", one, on(noRoomOn, 0, 0), then("update to use a port of the host", says, "a node has room again", says)),
		scenario("pods are refused", two, then("the API server refuses pods", "update", says, says, "the API server admits pods"), after(40*time.Second, says, 0)),
		scenario("a pod is not deleted", one, on(keptOn, 0, 0), on(keptOn, 1, 0), on(keptOn, 2, 0), then("update", says, says, "the API server deletes pods"), after(40*time.Second, says, 0)),
		scenario("pods are not deleted beside updated ones", surges, on(keptOn, 0, 0), on(keptOn, 1, 0), then("update", says, "the API server deletes pods"), after(40*time.Second, says, 0)),
		scenario("a pod is not deleted from a node that must not run it", two, on(keptOn, 0, 0), on("a node is tainted NoExecute", 0, 0), then("update to a missing image", says, "the API server deletes pods"), ends),
		scenario("pods are refused for a node, and created on others", one, on("the API server refuses pods for a node", 0, 0), then("somebody deletes a pod"),
			on("somebody deletes a pod", 0, 1), on("somebody deletes a pod", 0, 2), then(refusedForSome, says, "the API server admits pods")),
		scenario("pods are refused beside old ones", surge, then("the API server refuses pods", "update", says, saysLater, "the API server admits pods"), after(40*time.Second, says, 0)),
		scenario("a pod is refused beside others", one, then("update to a missing image", says, "the API server refuses pods"), on("somebody deletes a pod", 0, 1), then(says, "the API server admits pods")),
		scenario("a node has no room, and pods are refused on others", two, on(noRoomOn, 0, 0), then("update", says, "the API server refuses pods"),
			on("somebody deletes a pod", 0, 0), on("somebody deletes a pod", 0, 1), then(says, "the API server admits pods", "a node has room again")),
	}
}
