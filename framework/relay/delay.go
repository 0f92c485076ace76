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

// delays are those of all watches, and of those of single resources.
type delays struct {
	all delay

	mu sync.Mutex
	of map[string]*delay
}

// resource is the delay of the watches of that resource alone.
func (d *delays) resource(name string) *delay {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil {
		d.of = map[string]*delay{}
	}
	if d.of[name] == nil {
		d.of[name] = &delay{}
	}
	return d.of[name]
}

// set delays the watches of these resources, or of all if there are none. That all are not delayed goes for those of single resources, too.
func (d *delays) set(by time.Duration, resources []string) {
	for _, name := range resources {
		d.resource(name).set(by)
	}
	if len(resources) > 0 {
		return
	}
	d.all.set(by)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.of {
		if by == 0 {
			one.set(0)
		}
	}
}

// late is how late a watch is: by the delay of all and by that of its resource, of which the longer counts.
type late struct{ all, own *delay }

// pass returns when what was sent at the instant may reach the client by both delays, or with the context's error.
func (l late) pass(ctx context.Context, sent time.Time) error {
	if err := l.all.pass(ctx, sent); err != nil {
		return err
	}
	return l.own.pass(ctx, sent)
}

// chunk is a piece of what a watch sent, and when it was read; or the error that ended the watch.
type chunk struct {
	data []byte
	err  error
	sent time.Time
}

// inFlight are the chunks that one watch may have on their way: what more the API server sends waits with it.
const inFlight = 4096

// delayedBody is what a watch sends, as late as its delays say. It is read from when it is sent, so that one piece does not hold back the clock of the next.
type delayedBody struct {
	inner  io.ReadCloser
	late   late
	ctx    context.Context
	chunks chan chunk
	rest   chunk
}

func newDelayedBody(ctx context.Context, inner io.ReadCloser, by late) *delayedBody {
	b := &delayedBody{inner: inner, late: by, ctx: ctx, chunks: make(chan chunk, inFlight)}
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
		if err := b.late.pass(b.ctx, b.rest.sent); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest.data)
	b.rest.data = b.rest.data[n:]
	return n, nil
}

// Close implements io.Closer. What is on its way never arrives.
func (b *delayedBody) Close() error { return b.inner.Close() }
