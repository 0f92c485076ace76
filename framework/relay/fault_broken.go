package relay

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// BrokenAnswer breaks the connection in the middle of the answer to a list, be it streamed: the client gets a part of it.
type BrokenAnswer struct{}

// String implements Effect.
func (BrokenAnswer) String() string { return "the connection breaks in the middle of the answer" }

// A watch alone may end at any time: nothing is missing from it.
func (BrokenAnswer) appliesTo(request *http.Request) bool {
	return !watches(request) || streams(request)
}

func (BrokenAnswer) lasts() time.Duration { return 0 }

func (BrokenAnswer) answer(m meeting, next http.RoundTripper) (*http.Response, error) {
	response, err := next.RoundTrip(m.request)
	if err != nil {
		m.over()
		return nil, err
	}
	response.Body = &brokenBody{inner: response.Body, over: sync.OnceFunc(m.over)}
	return response, nil
}

var errBroken = errors.New("the relay has broken the connection")

// brokenBody is half of the first piece of an answer.
type brokenBody struct {
	inner  io.ReadCloser
	over   func()
	broken bool
}

// Read implements io.Reader.
func (b *brokenBody) Read(p []byte) (int, error) {
	if b.broken {
		b.over()
		return 0, errBroken
	}
	n, err := b.inner.Read(p)
	if n == 0 {
		return 0, err
	}
	b.broken = true
	return n / 2, nil
}

// Close implements io.Closer.
func (b *brokenBody) Close() error {
	b.over()
	return b.inner.Close()
}
