package simulation

import (
	"fmt"
	"slices"
	"time"
)

// knownHistories are what somebody may do to revisions, one thing at a time.
func knownHistories() []knownScenario {
	f := flavour{strategies: everyStrategy(), tampers: true, odd: true, deletes: true}
	scenario := func(name string, s strategy, limit int32, parts ...schedule) knownScenario {
		return knownScenario{"history: " + name, setup{Nodes: 2, Strategy: s, HistoryLimit: limit, Pace: quickPods()}, f, slices.Concat(parts...)}
	}
	rolls, onDelete := strategy{MaxSurge: "0", MaxUnavailable: "2"}, strategy{OnDelete: true}
	const quiet, deleted = 12 * time.Second, "somebody deletes a revision, which is held for a while"
	updates := slices.Concat(then("update"), after(quiet, "update", 0), after(quiet, "update", 0))
	at := func(name string, a, b int) schedule { return schedule{{Wait: quiet, Act: name, A: a, B: b}} }
	counted := at("collisions have been counted", 0, 0)
	taken := func(a, b int) schedule { return at("update under a name that is taken", a, b) }
	all := []knownScenario{
		scenario("a name is taken by another content", rolls, 10, taken(0, 0), counted, taken(0, 1), counted, taken(0, 1), counted, updates),
		scenario("a name is taken by the same content", rolls, 10, taken(1, 0), counted, taken(1, 1), counted, updates),
		scenario("names are taken one after the other", onDelete, 2, taken(0, 1), taken(1, 0), taken(1, 1), taken(0, 0), counted, updates),
		scenario("pods keep what exceeds the limit", onDelete, 0, updates, at("somebody deletes a pod", 0, 0), updates, at("somebody deletes a pod", 0, 1), at("update", 0, 0)),
		scenario("the limit becomes less", rolls, 10, updates, updates, at("change revisionHistoryLimit", 2, 0), at("update", 0, 0), at("change revisionHistoryLimit", 0, 0)),
		scenario("back and forth", rolls, 2, updates, at("roll back", 0, 0), at("roll back", 1, 0), at("update", 0, 0), at("roll back", 3, 0), at("roll back", 2, 0)),
		scenario("created again", rolls, 10, updates, at("delete the DaemonSet and create it again", 0, 0), after(100*time.Millisecond, "roll back", 1)),
		scenario("created again over its pods", rolls, 10, updates, at("delete the DaemonSet but leave its pods, and create it again", 0, 0), after(100*time.Millisecond, "roll back", 1)),
		scenario("pods of before the histories", onDelete, 10, at("a node is cordoned", 0, 0), at("a node joins", 0, 0), at("a pod of before the histories appears", 0, 0), updates,
			at("a pod of before the histories appears", 1, 0), at("somebody deletes a pod", 0, 0)),
		scenario("a pod of before the histories, in a rollout", rolls, 10, at("a node is cordoned", 0, 0), at("a node joins", 0, 0), at("a pod of before the histories appears", 0, 0), updates,
			at("a node joins", 0, 0), at("a pod of before the histories appears", 2, 0)),
		scenario("the only revision is being deleted, and loses its label", onDelete, 10, at(deleted, 0, 0), then("somebody takes the label off a revision"),
			after(3*time.Second, "somebody deletes a pod", 0)),
		scenario("orphans", rolls, 10, updates, at("an orphan appears", 0, 0), at("an orphan appears", 1, 1), at("an orphan appears", 0, 3), at("an orphan appears", 1, 5)),
	}
	restarted := scenario("the successor of a process that has just created a revision begins with what was before", rolls, 0,
		slices.Repeat(slices.Concat(then("update"), after(100*time.Millisecond, "restart the controller", 0), at("a pod becomes ready", 0, 0)), 8))
	restarted.setup.Lag = 300 * time.Millisecond
	relimited := scenario("the limit grows at the instant at which a template comes", onDelete, 0,
		slices.Repeat(slices.Concat(at("change revisionHistoryLimit", 0, 0), updates, at("update", 0, 0), on("change revisionHistoryLimit", 3, 0)), 8))
	relimited.setup.Lag = 700 * time.Millisecond
	all = append(all, restarted, relimited)
	for how := range 4 {
		twin := slices.Concat(then("kill the controller", deleted), on("somebody copies a revision", 0, how), after(3*time.Second, "restart the controller", 0))
		all = append(all,
			scenario(fmt.Sprintf("the only revision is being deleted, and is copied, %d", how), rolls, 10, twin, at("somebody deletes a pod", 0, 0)),
			scenario(fmt.Sprintf("the current revision is being deleted, and is copied, %d", how), rolls, 10, updates, at("roll back", 0, 0), twin, at("update", 0, 0)))
	}
	for how := range 6 {
		all = append(all, scenario(fmt.Sprintf("the revision of pods of an earlier generation is copied, %d", how), strategy{MaxSurge: "0", MaxUnavailable: "1"}, 10,
			then("update to a crashing image"), at("roll back", 0, 0), at("somebody copies a revision", 0, how), at("somebody copies a revision", 1, how)))
	}
	for which := range 3 {
		all = append(all, scenario(fmt.Sprintf("old revision %d is being deleted, and the limit is reached without it", which), rolls, 2, updates,
			at(deleted, which, 0), after(3*time.Second, "update", 0)))
	}
	for which := range 4 {
		all = append(all, scenario(fmt.Sprintf("revision %d of 4 is deleted after a collision and a roll-back", which), []strategy{rolls, onDelete}[which%2], 10, taken(0, 0), counted,
			at("roll back", which, 0), at(deleted, which, 0), at(deleted, which+1, 0), at("somebody deletes a pod", 0, 0)))
		for how := range 6 {
			all = append(all, scenario(fmt.Sprintf("revision %d of 4 is copied, %d", which, how), rolls, 10, updates, at("somebody copies a revision", which, how),
				at("update", 0, 0), at("roll back", which, 0), at("update", 0, 0)))
		}
		for _, name := range []string{
			"somebody takes the label off a revision", "somebody releases a revision", "somebody takes all labels off a revision", deleted,
		} {
			all = append(all, scenario(fmt.Sprintf("%s, %d of 4", name, which), []strategy{rolls, onDelete}[which%2], 3, updates, at(name, which, 0), at("update", 0, 0), at("roll back", which, 0)))
		}
	}
	return all
}
