package judge

import "time"

// Course is what happened to a DaemonSet since its template last changed.
type Course struct {
	// Rollout: the template is not the first. Since is when it came.
	Rollout bool
	Since   time.Time
	// RolledBack: the template had been in force before.
	RolledBack bool
	// Overtook: nodes still had old pods, or updated ones that were not Ready, of the rollout before.
	Overtook bool
	// Grew and Shrank: the number of eligible nodes has increased, decreased. Desired was that number at the beginning.
	Grew, Shrank bool
	Desired      int
	// Relimited: the strategy has changed. Retimed: minReadySeconds have.
	Relimited, Retimed bool
	// Staggered: two updated pods had minReadySeconds to wait out at once, from different times.
	Staggered bool

	// readyAt is when an updated pod last became Ready.
	readyAt time.Time
}

// Course is what happened since the template last changed.
func (w *Workload) Course() Course { return w.course }

// begin takes note of another template than the one before. Nobody backs off from what failed of that one, until it comes back (TARGET-010).
func (w *Workload) begin(before, template int, now time.Time) {
	w.newest = max(w.newest, before)
	w.course = Course{
		Rollout: true, Since: now, RolledBack: template <= w.newest, Desired: w.Desired,
		Overtook: w.having[HasOld] > 0 || w.having[UpdatedUnready] > 0,
	}
	for _, node := range w.Nodes {
		if node.ended == nil {
			node.ended = map[int]int{}
		}
		node.ended[before] = node.Ended
		node.Ended = node.ended[template]
	}
}

// proceed takes note of new settings within the rollout.
func (c *Course) proceed(before, after Settings, desired int) {
	c.Grew, c.Shrank = c.Grew || desired > c.Desired, c.Shrank || desired < c.Desired
	if before.Template != after.Template {
		return
	}
	c.Retimed = c.Retimed || before.MinReady != after.MinReady
}

// ready takes note that an updated pod became Ready.
func (c *Course) ready(now time.Time, minReady int32) {
	wait := now.Sub(c.readyAt)
	c.Staggered = c.Staggered || !c.readyAt.IsZero() && wait >= Lag && wait < time.Duration(minReady)*time.Second
	c.readyAt = now
}

// RestartedSince reports whether the harness put the implementation to work anew since the DaemonSet's template last changed.
func (s *Scene) RestartedSince(w *Workload) bool {
	return s.memory.control.restartedAt().After(w.rolledAt)
}

// Restarted reports whether the harness has put the implementation to work anew.
func (s *Scene) Restarted() bool { return !s.memory.control.restartedAt().IsZero() }
