package plan

import "time"

// Bounds of the delay between replacements of pods that end on the same node (TARGET-010).
const (
	BackoffMin = time.Second
	BackoffMax = 15 * time.Minute
)

// Backoff is the record of pods that ended on one node and were replaced. The zero value is a node on which none
// has. client-go's flowcontrol.Backoff does the same sums but does not tell when a delay ends, so a controller on top of it
// has to poll; this one is a value and can be part of State.
type Backoff struct {
	// Delay is how long the next pod that ends has to stay, counted from Last.
	Delay time.Duration
	// Last is when the last one was deleted.
	Last time.Time
	// Updated: one of those that were deleted then was of the template in force, which therefore fails on the node.
	Updated bool
}

// fails reports whether pods of the template in force have ended on the node.
func (b Backoff) fails() bool { return b.Delay > 0 && b.Updated }

// Until is the time before which a pod that ended must not be replaced.
func (b Backoff) Until() time.Time { return b.Last.Add(b.Delay) }

// Next is the record after a replacement at now: the delay doubles, and starts again once there was quiet for twice
// BackoffMax.
func (b Backoff) Next(now time.Time) Backoff {
	if b.Delay == 0 || now.Sub(b.Last) > 2*BackoffMax {
		return Backoff{Delay: BackoffMin, Last: now}
	}
	return Backoff{Delay: min(2*b.Delay, BackoffMax), Last: now}
}
