package run

import "time"

// paceWindow is how far back the pace of the specs is measured. Those that run alone come last, and are much slower than those that run beside others.
const paceWindow = 2 * time.Minute

// look is how many specs had ended at a time.
type look struct {
	at    time.Time
	ended int
}

// pace are looks at a run, the oldest first: the last one from before the window, or that of the run's beginning, and all since.
type pace []look

// with is the pace after another look.
func (p pace) with(now time.Time, ended int) pace {
	for len(p) > 1 && now.Sub(p[1].at) >= paceWindow {
		p = p[1:]
	}
	return append(p, look{now, ended})
}

// left is how long the rest of the specs takes at that pace; false if none has ended at it.
func (p pace) left(now time.Time, ended, total int) (time.Duration, bool) {
	if len(p) == 0 || ended == p[0].ended {
		return 0, false
	}
	return now.Sub(p[0].at) * time.Duration(total-ended) / time.Duration(ended-p[0].ended), true
}
