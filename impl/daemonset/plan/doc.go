// Package plan holds the whole policy of the reference DaemonSet controller as one pure function:
//
//	Plan(State, now) -> Actions
//
// It knows nothing about clients, caches, queues or clocks. A State is what was observed, Actions is what has
// to be done about it, and whoever calls Plan does it: the controller through the API server, a test by looking
// at it, a simulation by changing its own pods. The same State and the same now always give the same Actions,
// in the same order, and Plan never changes what the State points to.
//
// Three rules make it safe to execute Actions in part, or not at all:
//
//   - no action relies on another action of the same pass having worked: in particular no pod is created on a
//     node on which the same pass deletes one (SURGE-009, SURGE-010). The one exception, ObservedGeneration, is
//     told of at Actions;
//   - everything is derived from what exists, never from what an earlier pass intended, so a restarted
//     controller continues where the last one stopped (RECOVERY-001 to RECOVERY-003);
//   - whatever becomes true by the mere passing of time is announced through Actions.RequeueAfter (AVAIL-005).
//
// The requirement IDs in the comments are those of the rollcall catalogue.
package plan
