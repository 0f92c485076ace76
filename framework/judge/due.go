package judge

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Due is an act that the implementation owes while a condition holds.
type Due struct {
	// About names what the act is owed for, such as the UIDs of the pods: if it changes, another act is owed, and the time counts anew.
	About string
	// From is the instant from which it is owed, where the clock decides that; zero if the state does. It may be in the future.
	From time.Time
	// Until is when the clock ends the condition; zero if it does not. What is not overdue by then was never owed for long enough.
	Until time.Time
	// Extra is how much longer than Prompt it may take, for example while a back-off may be running.
	Extra time.Duration
	// Undone says what is missing once the bound has passed, for example "old pod a still there beside available b".
	Undone string
	// Creates: the act is to create a pod. Nobody is held to that while the harness has the API server refuse pods; nor, where the recording is of a watched
	// cluster, before they have created one for the DaemonSet: nothing shows that they may. For a scenario the harness made sure of that.
	Creates bool
	// Rolls: the act is a step of a rollout, on whatever node. The history of the template comes first (HISTORY-008), as it does for acts on a node.
	Rolls bool
	// ByClock: it is owed because time passed, which nothing announces. It counts only if nothing else woke the implementation.
	ByClock bool
	// Done reports whether the step carried it out; nil if that is any act of the implementation on the node, or on any node.
	Done func(*Scene) bool
}

// Condition returns what is owed for the DaemonSet, on the node if the duty is one about nodes, in the state after a step; false if nothing is.
type Condition func(s *Scene, w *Workload, n *Node) (Due, bool)

// DueOnNodes is for an obligation about single nodes.
func DueOnNodes(condition Condition) func(history.Header) Observer {
	return func(history.Header) Observer {
		return &duties{condition: condition, nodes: true, pending: map[dutyKey]*duty{}}
	}
}

// DueOnDaemonSets is for an obligation about a DaemonSet as a whole.
func DueOnDaemonSets(condition Condition) func(history.Header) Observer {
	return func(history.Header) Observer {
		return &duties{condition: condition, pending: map[dutyKey]*duty{}}
	}
}
