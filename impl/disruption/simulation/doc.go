// Package simulation proves the disruption controller without a cluster: its tests run the reconciler in a small model of Kubernetes (an API server that
// grants evictions, pods that come and go, caches that lag, scales that cannot be read, a process that restarts), on a virtual clock, through random schedules.
// No eviction may be granted beyond the budget, the status has to come to what the arithmetic says, and nothing may be written without a change.
//
// Everything random is drawn by rapid, so a failure shrinks to a short schedule and is replayed by its seed. There is nothing here to import.
package simulation
