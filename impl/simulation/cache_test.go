package simulation

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// cache is what one controller process has heard of the cluster. Each kind comes in order, but on its own, and late.
type cache struct {
	clock  *clock
	chance chance
	// lag is the most that an event takes to arrive.
	lag time.Duration

	objects map[history.Kind]map[string]history.Object
	// due is when the last event so far of each kind arrives, pending how many are on their way.
	due     map[history.Kind]time.Time
	pending map[history.Kind]int
	arrived func(before history.Object, entry history.Entry)
	closed  bool
}

// newCache returns the cache of a process that starts now. Its first lists may be answered by an API server that is behind itself: the
// process then sees the past, and what followed comes as events.
func newCache(clock *clock, api *apiServer, chance chance, lag time.Duration, arrived func(history.Object, history.Entry)) *cache {
	c := &cache{
		clock: clock, chance: chance, lag: lag, arrived: arrived,
		objects: map[history.Kind]map[string]history.Object{}, due: map[history.Kind]time.Time{}, pending: map[history.Kind]int{},
	}
	listed := map[history.Kind]time.Time{}
	for _, kind := range kinds() {
		c.objects[kind] = map[string]history.Object{}
		listed[kind] = clock.now.Add(-chance.between(0, lag/2, "list", kind, api.version))
	}
	for _, entry := range api.entries {
		switch {
		case entry.Object == nil:
		case entry.Time.After(listed[entry.Kind]):
			c.tell(entry)
		default:
			c.apply(entry)
		}
	}
	api.watchers = append(api.watchers, c.tell)
	return c
}

// tell sends the event on its way. It arrives no later than lag after it happened, or half of that if the cache was started since.
func (c *cache) tell(entry history.Entry) {
	if c.closed {
		return
	}
	within := c.lag
	if entry.Time.Before(c.clock.now) {
		within /= 2
	}
	at := c.clock.now.Add(c.chance.between(0, within, "deliver", entry.ResourceVersion))
	if at.Before(c.due[entry.Kind]) {
		at = c.due[entry.Kind]
	}
	c.due[entry.Kind] = at
	c.pending[entry.Kind]++
	c.clock.after(at.Sub(c.clock.now), func() {
		if c.closed {
			return
		}
		c.pending[entry.Kind]--
		before := c.objects[entry.Kind][entry.Object.GetName()]
		c.apply(entry)
		c.arrived(before, entry)
	})
}

func (c *cache) apply(entry history.Entry) {
	if entry.Type == watch.Deleted {
		delete(c.objects[entry.Kind], entry.Object.GetName())
		return
	}
	c.objects[entry.Kind][entry.Object.GetName()] = entry.Object
}

// current reports whether nothing about a kind is on its way, which a controller can find out with a read that bypasses its cache.
func (c *cache) current(kind history.Kind) bool { return c.pending[kind] == 0 }
