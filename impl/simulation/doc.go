// Package simulation proves the planner without a cluster: its tests run plan.Plan in a small model of Kubernetes (an API server, kubelets, a
// scheduler, garbage collection, and a controller process whose caches lag, whose writes fail and which restarts), on a virtual clock,
// through random schedules of updates, failures and node changes. What happens is recorded as a history, and the suite's own judges
// judge it; afterwards the environment becomes kind, and the DaemonSet has to settle.
//
// It knows the planner, the history format and the judges, and nothing of clusters or clients. Everything random is drawn by rapid or derived
// from what rapid drew, so a failure shrinks to a short schedule and is replayed by its seed. There is nothing here to import.
package simulation
