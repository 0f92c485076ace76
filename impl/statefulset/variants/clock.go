package variants

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// clock remembers of each StatefulSet since when something has been wanted.
type clock struct {
	mu    sync.Mutex
	since map[types.UID]time.Time
}

func newClock() *clock { return &clock{since: map[types.UID]time.Time{}} }

// wanted returns since when it has been, now if it was not before.
func (c *clock) wanted(set types.UID, now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.since[set]; !known {
		c.since[set] = now
	}
	return c.since[set]
}

// clear takes note that it is not wanted.
func (c *clock) clear(set types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.since, set)
}
