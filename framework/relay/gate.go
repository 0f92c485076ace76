package relay

import (
	"context"
	"sync"
)

// gate is open, or lets nobody pass until it is. The zero value is open.
type gate struct {
	mu sync.Mutex
	// opened is nil while the gate is open, and otherwise closed when it opens.
	opened chan struct{}
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened == nil {
		g.opened = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened != nil {
		close(g.opened)
		g.opened = nil
	}
}

// pass returns when the gate is open, or with the context's error.
func (g *gate) pass(ctx context.Context) error {
	for {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return nil
		}
		select {
		case <-opened:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
