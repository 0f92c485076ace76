package relay

import (
	"context"
	"io"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// watchBody is an answer on its way to the client, which may be that of a watch.
type watchBody struct {
	inner io.ReadCloser
	relay *Relay
	path  string

	ctx    context.Context
	cancel context.CancelFunc
	once   sync.Once
	// lost is closed when the watch is broken.
	lost chan struct{}
}

// lose breaks the watch: what has not reached the client by now never does.
func (b *watchBody) lose() {
	b.once.Do(func() { close(b.lost) })
	b.cancel()
	// A read that waits for the API server ends with it.
	_ = b.inner.Close()
}

// Read implements io.Reader. What the API server has sent waits at the gate.
func (b *watchBody) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	if passed := b.relay.gate.pass(b.ctx); passed != nil {
		n, err = 0, passed
	}
	select {
	case <-b.lost:
		return 0, io.ErrUnexpectedEOF
	default:
		return n, err
	}
}

// Close implements io.Closer.
func (b *watchBody) Close() error {
	b.relay.mu.Lock()
	delete(b.relay.watches, b)
	b.relay.mu.Unlock()
	b.cancel()
	return b.inner.Close()
}

// gone is the API server's answer to a watch from a version that it does not have any more.
func gone(request *http.Request) *http.Response {
	return refusal(request, apierrors.NewResourceExpired("too old resource version: the relay has broken the watch").Status())
}
