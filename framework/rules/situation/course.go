package situation

import "github.com/rollcall-conformance/rollcall/framework/judge"

// RolledBack is after a roll-back.
func RolledBack() judge.Situation {
	return during("after a roll-back", func(c judge.Course) bool { return c.RolledBack })
}

// Overtook is in a rollout that began before the one before was through.
func Overtook() judge.Situation {
	return during("in a rollout that overtook another", func(c judge.Course) bool { return c.Overtook })
}

// Relimited is after a change of the strategy during the rollout.
func Relimited() judge.Situation {
	return during("after a change of the strategy during the rollout", func(c judge.Course) bool { return c.Relimited })
}

// Retimed is after a change of minReadySeconds during the rollout.
func Retimed() judge.Situation {
	return during("after a change of minReadySeconds during the rollout", func(c judge.Course) bool { return c.Retimed })
}

// Grew is after eligible nodes were added during the rollout.
func Grew() judge.Situation {
	return during("after a node joined during the rollout", func(c judge.Course) bool { return c.Grew })
}

// Shrank is after eligible nodes went during the rollout.
func Shrank() judge.Situation {
	return during("after a node went during the rollout", func(c judge.Course) bool { return c.Shrank })
}

// Staggered is when two updated pods have minReadySeconds to wait out at once, from different times.
func Staggered() judge.Situation {
	return during("with two pods whose minReadySeconds end at different times", func(c judge.Course) bool { return c.Staggered })
}

// Restarted is after the implementation was put to work anew during the rollout.
func Restarted() judge.Situation {
	return of("after the implementation was restarted during the rollout", func(t judge.Test) bool {
		return t.Workload != nil && t.Workload.Course().Rollout && t.RestartedSince(t.Workload)
	})
}

// Rollout is during a rollout: nodes have old pods.
func Rollout() judge.Situation {
	return of("during a rollout", func(t judge.Test) bool { return t.Workload != nil && t.Workload.Having(judge.HasOld) > 0 })
}

// NoRollout is without a rollout: no node has an old pod.
func NoRollout() judge.Situation {
	return of("without a rollout", func(t judge.Test) bool { return t.Workload != nil && t.Workload.Having(judge.HasOld) == 0 })
}

// Waits is with minReadySeconds above 0.
func Waits() judge.Situation {
	return of("with minReadySeconds", func(t judge.Test) bool { return t.Workload != nil && t.Workload.Settings.MinReady > 0 })
}

// WaitsNot is with minReadySeconds 0.
func WaitsNot() judge.Situation {
	return of("with minReadySeconds 0", func(t judge.Test) bool { return t.Workload != nil && t.Workload.Settings.MinReady == 0 })
}

// WithSurge is with maxSurge.
func WithSurge() judge.Situation {
	return of("with maxSurge", func(t judge.Test) bool { return t.Workload != nil && t.Workload.Settings.Surging })
}

// WithUnavailable is with maxUnavailable alone.
func WithUnavailable() judge.Situation {
	return of("with maxUnavailable", func(t judge.Test) bool {
		return t.Workload != nil && t.Workload.Settings.Rolling && !t.Workload.Settings.Surging
	})
}

// OnDelete is with the strategy OnDelete.
func OnDelete() judge.Situation {
	return of("with OnDelete", func(t judge.Test) bool { return t.Workload != nil && !t.Workload.Settings.Rolling })
}
