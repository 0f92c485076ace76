package main

import (
	"sync"
	"time"
)

// pending remembers, for each DaemonSet, the pods that were created or deleted and that the cache does not show yet. Nothing is decided on a stale cache.
type pending struct {
	mutex sync.Mutex
	sets  map[string]*changes
}

type changes struct {
	created, deleted map[string]bool
	since            time.Time
}

func newPending() *pending { return &pending{sets: map[string]*changes{}} }

func (p *pending) of(key string) *changes {
	if p.sets[key] == nil {
		p.sets[key] = &changes{created: map[string]bool{}, deleted: map[string]bool{}}
	}
	return p.sets[key]
}

func (p *pending) willDelete(key, pod string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.of(key).deleted[pod] = true
	p.of(key).since = time.Now()
}

func (p *pending) willCreate(key, pod string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.of(key).created[pod] = true
	p.of(key).since = time.Now()
}

func (p *pending) created(key, pod string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.of(key).created, pod)
}

func (p *pending) deleted(key, pod string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.of(key).deleted, pod)
}

func (p *pending) forget(key string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.sets, key)
}

// done reports whether the cache shows everything that was done, or has had five minutes to do so.
func (p *pending) done(key string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	c := p.of(key)
	return len(c.created)+len(c.deleted) == 0 || time.Since(c.since) > 5*time.Minute
}
