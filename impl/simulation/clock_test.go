package simulation

import (
	"container/heap"
	"time"
)

// epoch is when every simulation begins. It is in UTC and on a full second, as timestamps of API objects are.
var epoch = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

// clock is virtual time: it stands still until the next thing happens, and then it is that time at once. Things that happen at the same
// time happen in the order in which they were planned.
type clock struct {
	now    time.Time
	queue  timers
	serial int
}

// timer is one thing that is going to happen.
type timer struct {
	at      time.Time
	serial  int
	stopped bool
	happen  func()
}

func newClock() *clock { return &clock{now: epoch} }

func (c *clock) after(wait time.Duration, happen func()) *timer {
	c.serial++
	t := &timer{at: c.now.Add(max(wait, 0)), serial: c.serial, happen: happen}
	heap.Push(&c.queue, t)
	return t
}

// stop keeps t from happening; a nil timer is none.
func (t *timer) stop() {
	if t != nil {
		t.stopped = true
	}
}

// advance lets the next thing happen if that is before the deadline, and says whether there was one.
func (c *clock) advance(deadline time.Time) bool {
	for len(c.queue) > 0 {
		if c.queue[0].stopped {
			heap.Pop(&c.queue)
			continue
		}
		if c.queue[0].at.After(deadline) {
			return false
		}
		next := heap.Pop(&c.queue).(*timer)
		c.now = next.at
		next.happen()
		return true
	}
	return false
}

// timers is a heap.Interface, the earliest first.
type timers []*timer

func (q timers) Len() int { return len(q) }

func (q timers) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].serial < q[j].serial
}

func (q timers) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *timers) Push(t any) { *q = append(*q, t.(*timer)) }

func (q *timers) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
