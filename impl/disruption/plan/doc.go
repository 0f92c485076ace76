// Package plan holds the whole policy of the reference disruption controller as pure functions:
//
//	Plan(State, now) -> Actions            about one PodDisruptionBudget
//	Reset(pod, now) -> TargetActions       about the condition DisruptionTarget of one pod
//	Concerned(budgets, before, after)      which budgets a change of a pod concerns
//
// It knows nothing about clients, caches, queues or clocks. The same arguments always give the same answer, and what they point to is never
// changed.
//
// The API server takes a number off disruptionsAllowed with every eviction that it grants, and lists the pod in disruptedPods. So the status is
// shared with it: Plan derives all of it from what exists, keeps what the API server listed until the pod is seen on its way out, and a status
// must be written only over the very version that it was planned from.
//
// The requirement IDs in the comments are those of the rollcall catalogue.
package plan
