package relay

import (
	"context"
	"io"
	"sync"
	"time"
)

// delay is how late what watches send reaches the client. The zero value is no delay.
type delay struct {
	mu sync.Mutex
	by time.Duration
	// changed is closed when by changes; nil until somebody waits.
	changed chan struct{}
}

func (d *delay) set(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.by = by
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// pass returns when what was sent at the instant may reach the client, or with the context's error.
func (d *delay) pass(ctx context.Context, sent time.Time) error {
	for {
		d.mu.Lock()
		left := time.Until(sent.Add(d.by))
		if d.changed == nil {
			d.changed = make(chan struct{})
		}
		changed := d.changed
		d.mu.Unlock()
		if left <= 0 {
			return nil
		}
		due := time.NewTimer(left)
		select {
		case <-due.C:
		case <-changed:
			due.Stop()
		case <-ctx.Done():
			due.Stop()
			return context.Cause(ctx)
		}
	}
}

// chunk is a piece of what a watch sent, and when it was read; or the error that ended the watch.
type chunk struct {
	data []byte
	err  error
	sent time.Time
}

// inFlight are the chunks that one watch may have on their way: what more the API server sends waits with it.
const inFlight = 4096

// delayedBody is what a watch sends, as late as its delay says. It is read from when it is sent, so that one piece does not hold back the clock of the next.
type delayedBody struct {
	inner  io.ReadCloser
	delay  *delay
	ctx    context.Context
	chunks chan chunk
	rest   chunk
}

func newDelayedBody(ctx context.Context, inner io.ReadCloser, late *delay) *delayedBody {
	b := &delayedBody{inner: inner, delay: late, ctx: ctx, chunks: make(chan chunk, inFlight)}
	go b.pump()
	return b
}

func (b *delayedBody) pump() {
	for {
		buffer := make([]byte, 8<<10)
		n, err := b.inner.Read(buffer)
		select {
		case b.chunks <- chunk{data: buffer[:n], err: err, sent: time.Now()}:
		case <-b.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader.
func (b *delayedBody) Read(p []byte) (int, error) {
	for len(b.rest.data) == 0 {
		if b.rest.err != nil {
			return 0, b.rest.err
		}
		select {
		case b.rest = <-b.chunks:
		case <-b.ctx.Done():
			return 0, context.Cause(b.ctx)
		}
		if err := b.delay.pass(b.ctx, b.rest.sent); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest.data)
	b.rest.data = b.rest.data[n:]
	return n, nil
}

// Close implements io.Closer. What is on its way never arrives.
func (b *delayedBody) Close() error { return b.inner.Close() }
