package relay

import (
	"errors"
	"net/http"
	"time"
)

// LostAnswer has the API server carry a request out, and the connection break before its answer reaches the client.
type LostAnswer struct{}

// String implements Effect.
func (LostAnswer) String() string { return "the answer is lost" }

func (LostAnswer) appliesTo(*http.Request) bool { return true }

func (LostAnswer) lasts() time.Duration { return 0 }

var errLost = errors.New("the relay has lost the answer")

func (LostAnswer) answer(m meeting, next http.RoundTripper) (*http.Response, error) {
	defer m.over()
	response, err := next.RoundTrip(m.request)
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(errLost, response.Body.Close())
}
