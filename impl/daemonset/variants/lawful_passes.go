package variants

import (
	"math/rand/v2"
	"time"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulPasses share the work out over passes differently.
func lawfulPasses() []Variant {
	const shares = "No requirement says what one pass does, beyond that it is no more than 250 pods."
	return []Variant{
		{Name: "passes-of-100", Says: "Creates and deletes no more than 100 pods in a pass, and writes the status when no more are due.",
			Lawful: shares, Planner: remember(passesOf100)},
		{Name: "one-pod-a-pass", Says: "Creates or deletes one pod in a pass, at random.", Lawful: shares, Planner: remember(oneAPass)},
		{Name: "empty-nodes-first", Says: "Fills nodes without a pod in a pass of their own before it does anything else about pods.",
			Lawful: shares, Planner: remember(emptyNodesFirst)},
		{Name: "claims-in-a-pass-of-their-own", Says: "Touches no pod otherwise in a pass that claims, releases or relabels some.",
			Lawful: shares,
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if len(actions.PatchPods) > 0 {
					actions.CreatePods, actions.DeletePods, actions.Backoff, actions.Events = nil, nil, nil, nil
					comeBack(actions, 100*time.Millisecond)
				}
			})},
		{Name: "deletes-before-it-creates", Says: "Creates no pod in a pass that deletes some.", Lawful: shares,
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if len(actions.DeletePods) > 0 && len(actions.CreatePods) > 0 {
					actions.CreatePods = nil
					comeBack(actions, time.Millisecond)
				}
			})},
		{Name: "status-in-a-pass-of-its-own", Says: "Writes no status in a pass that creates or deletes pods, and then in the next.", Lawful: shares,
			Planner: remember(statusNext)},
		{Name: "creates-before-it-deletes", Says: "Deletes no pod in a pass that creates some, and then in the next.", Lawful: shares,
			Planner: remember(createFirst)},
	}
}

// oneAPass picks at random, so that a pod that cannot be created keeps none of the others.
func oneAPass(m *memory[rand.PCG]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if len(actions.CreatePods)+len(actions.DeletePods) <= 1 {
			return
		}
		if len(actions.DeletePods) > 0 {
			actions.DeletePods, actions.CreatePods = shuffled(actions.DeletePods, m.of(state), state.DaemonSet.UID)[:1], nil
			keepBackoffOf(actions, actions.DeletePods[0].Node)
		} else {
			actions.CreatePods = shuffled(actions.CreatePods, m.of(state), state.DaemonSet.UID)[:1]
		}
		// What is refused is tried again with pauses.
		if state.Refused == nil {
			comeBack(actions, time.Millisecond)
		}
	})
}

// keepBackoffOf drops the records and events of pods on other nodes, which are not deleted.
func keepBackoffOf(actions *plan.Actions, node string) {
	kept, found := actions.Backoff[node]
	actions.Backoff = nil
	if found {
		actions.Backoff = map[string]plan.Backoff{node: kept}
	}
	var events []plan.Event
	for _, event := range actions.Events {
		if event.Pod != nil && plan.TargetNode(event.Pod) == node {
			events = append(events, event)
		}
	}
	actions.Events = events
}

// midway says that the last pass left work.
type midway struct{ is bool }

func passesOf100(m *memory[midway]) Around {
	const most = 100
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		left := m.of(state)
		if !state.AwaitingOwnWrites {
			left.is = len(actions.CreatePods) > most || len(actions.DeletePods) > most
			actions.CreatePods = actions.CreatePods[:min(len(actions.CreatePods), most)]
			actions.DeletePods = actions.DeletePods[:min(len(actions.DeletePods), most)]
		}
		if left.is {
			actions.Status = nil
			comeBack(actions, time.Millisecond)
		}
	})
}

// createFirst puts deletions off by one pass only: what keeps a pod from being created must not keep others.
func createFirst(m *memory[midway]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		last := m.of(state)
		if state.AwaitingOwnWrites {
			return
		}
		last.is = len(actions.DeletePods) > 0 && len(actions.CreatePods) > 0 && !last.is
		if last.is {
			actions.DeletePods, actions.Backoff, actions.Events = nil, nil, nil
			comeBack(actions, time.Millisecond)
		}
	})
}

// emptyNodesFirst puts the rest off by one pass only: what keeps a pod from being created must not keep the rest.
func emptyNodesFirst(m *memory[midway]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		last := m.of(state)
		if state.AwaitingOwnWrites {
			return
		}
		missing := false
		for _, creation := range actions.CreatePods {
			missing = missing || creation.Reason == plan.ReasonMissing
		}
		last.is = missing && !last.is
		if last.is {
			withoutCreations(actions, func(c plan.PodCreation) bool { return c.Reason != plan.ReasonMissing })
			actions.DeletePods, actions.Backoff, actions.Events = nil, nil, nil
			comeBack(actions, time.Millisecond)
		}
	})
}

// statusNext puts the status off by one pass only: pods that can never be created must not keep it from being written.
func statusNext(m *memory[midway]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		last := m.of(state)
		if state.AwaitingOwnWrites {
			return
		}
		last.is = len(actions.CreatePods)+len(actions.DeletePods) > 0 && actions.Status != nil && !last.is
		if last.is {
			actions.Status = nil
			comeBack(actions, time.Millisecond)
		}
	})
}
