package status_test

import (
	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// counts is a Story in which the implementation writes one status.
func counts(name string, desired, current, ready, available, unavailable, updated int32) Story {
	return Tell(name, func(b *Builder) {
		ds, _ := Running(b, 2)
		ds.Status(func(status *appsv1.DaemonSetStatus) {
			*status = appsv1.DaemonSetStatus{
				DesiredNumberScheduled: desired, CurrentNumberScheduled: current, NumberReady: ready, NumberAvailable: available,
				NumberUnavailable: unavailable, UpdatedNumberScheduled: updated,
			}
		})
	})
}
