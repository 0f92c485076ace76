package simulation

import (
	"fmt"
	"slices"
	"time"
)

// knownOwners are what owner references may say, one thing at a time: several owners, other controllers, and DaemonSets that are deleted with what they own.
func knownOwners() []knownScenario {
	f := flavour{strategies: everyStrategy(), owners: true, tampers: true, odd: true, deletes: true}
	scenario := func(name string, s strategy, parts ...schedule) knownScenario {
		return knownScenario{"owners: " + name, setup{Nodes: 2, Strategy: s, HistoryLimit: 2, Pace: quickPods()}, f, slices.Concat(parts...)}
	}
	rolls, surges, onDelete := strategy{MaxSurge: "0", MaxUnavailable: "1"}, strategy{MaxSurge: "1", MaxUnavailable: "0"}, strategy{OnDelete: true}
	const quiet = 12 * time.Second
	at := func(name string, a, b int) schedule { return schedule{{Wait: quiet, Act: name, A: a, B: b}} }
	const (
		recreated  = "delete the DaemonSet and create it again"
		abandoned  = "delete the DaemonSet but leave its pods, and create it again"
		foreground = "delete the DaemonSet in the foreground, and create it again once it is gone"
		idle       = "the garbage collector stands still for two minutes"
		joins      = "a pod gets another owner"
		joinsToo   = "a revision gets another owner"
		demoted    = "a pod has the DaemonSet as an owner, but not as its controller"
		demotedToo = "a revision has the DaemonSet as an owner, but not as its controller"
		unlabelled = "somebody takes a label off a pod"
		updated    = "update"
	)
	both := func(name string) schedule { return slices.Concat(at(name, 0, 0), at(name, 0, 1)) }
	everyRevision := func(name string) schedule {
		return slices.Concat(at(name, 0, 0), at(name, 1, 0), at(name, 2, 0))
	}
	updates := slices.Concat(then(updated), at(updated, 0, 0))
	all := []knownScenario{
		scenario("pods have others, and are released", rolls, both(joins), both(unlabelled), at(updated, 0, 0)),
		scenario("pods have others, and are demoted", onDelete, both(joins), both(demoted), both(demoted), at(updated, 0, 0)),
		scenario("revisions have others, and lose their labels", rolls, updates, everyRevision(joinsToo), everyRevision("somebody takes all labels off a revision"), at(updated, 0, 0)),
		scenario("revisions have others, and are demoted", rolls, updates, everyRevision(joinsToo), everyRevision(demotedToo), at(updated, 0, 0), at("roll back", 0, 0)),
		scenario("revisions are demoted, and lose their labels", rolls, updates, everyRevision(demotedToo), everyRevision("somebody takes all labels off a revision"), at(updated, 0, 0)),
		scenario("pods of others", onDelete, at("a pod of another controller has the DaemonSet as an owner", 0, 0), at("a pod of another controller has the DaemonSet as an owner", 1, 0),
			at("a pod of another controller has the DaemonSet as an owner", 2, 0), updates),
		scenario("a pod that ends has none", rolls, at("a pod loses its owners while it ends", 0, 0), at(updated, 0, 0), at("a pod loses its owners while it ends", 0, 1), at(unlabelled, 0, 0)),
		scenario("the garbage collector stands still", rolls, at(idle, 0, 0), then(recreated), after(100*time.Millisecond, "roll back", 0), after(time.Minute, updated, 0)),
		scenario("the garbage collector stands still while surging", surges, updates, at(idle, 0, 0), then(recreated), after(time.Minute, updated, 0)),
		scenario("a revision that is being deleted has none", rolls, at("somebody deletes a revision, which is held for a while", 0, 0),
			then("somebody releases a revision"), at(updated, 0, 0)),
		scenario("deleted in the foreground while a pod ends slowly", rolls, updates, at("a pod is slow to end", 0, 0), at(foreground, 0, 0), at("somebody deletes a pod by force", 0, 1),
			at(updated, 0, 0), at("a node joins", 0, 0), at("a pod ends at last", 0, 0), at(updated, 0, 0)),
	}
	for how, deleted := range []string{recreated, abandoned, foreground} {
		strategy := []strategy{rolls, surges, onDelete}[how]
		all = append(all,
			scenario(fmt.Sprintf("pods have others, then %s", deleted), strategy, at(joins, 0, 0), at(updated, 0, 0), at(joins, 0, 1), at(deleted, 0, 0), at(updated, 0, 0)),
			scenario(fmt.Sprintf("revisions have others, then %s", deleted), strategy, at(joinsToo, 0, 0), at(deleted, 0, 0), at(updated, 0, 0), everyRevision(joinsToo), at(deleted, 0, 0)),
		)
		for which := range otherControllers() {
			all = append(all, scenario(fmt.Sprintf("controller %d takes a revision, then %s", which, deleted), rolls,
				at("another controller takes a revision", 0, which), at(deleted, 0, 0), at(updated, 0, 0), at("roll back", 0, 0)))
		}
	}
	for which := range otherControllers() {
		const takes = "another controller takes a revision"
		all = append(all, scenario(fmt.Sprintf("controller %d has the revision of a pod whose generation comes again", which), onDelete, at(updated, 0, 0),
			at("somebody deletes a pod", 0, 0), at(takes, 0, which), at(takes, 1, which), at(abandoned, 0, 0), at(updated, 0, 0), at(updated, 0, 0)))
	}
	for content := range 2 {
		for which := range otherControllers() {
			all = append(all, scenario(fmt.Sprintf("controller %d has a name, content %d", which, content), rolls,
				at("update under a name that is taken", content, 2+2*which), at("collisions have been counted", 0, 0), updates, at("roll back", 1, 0), updates))
		}
	}
	for what := range 8 {
		all = append(all, scenario(fmt.Sprintf("revision %d that cannot be read", what), []strategy{rolls, onDelete}[what%2], updates,
			at("somebody creates a revision that cannot be read", what, 5*what), updates, at("roll back", 1, 0), at("change revisionHistoryLimit", 0, 0)))
	}
	return all
}
