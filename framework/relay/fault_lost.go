package relay

import (
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const timedOutByRelay = "the relay has lost the answer and says that the request did not complete in time"

// LostAnswer has the API server carry a request out, and the client not hear that it did: the connection breaks before the answer reaches it.
type LostAnswer struct {
	// TimedOut: it is answered 504 Gateway Timeout instead, which does not say what became of the request either.
	TimedOut bool
}

// String implements Effect.
func (l LostAnswer) String() string {
	if l.TimedOut {
		return "it is carried out and answered 504 Gateway Timeout"
	}
	return "the answer is lost"
}

func (LostAnswer) appliesTo(*http.Request) bool { return true }

func (LostAnswer) lasts() time.Duration { return 0 }

var errLost = errors.New("the relay has lost the answer")

func (l LostAnswer) answer(m meeting, next http.RoundTripper) (*http.Response, error) {
	defer m.over()
	response, err := next.RoundTrip(m.request)
	if err != nil {
		return nil, err
	}
	if err := response.Body.Close(); err != nil || !l.TimedOut {
		return nil, errors.Join(errLost, err)
	}
	return refusal(m.request, apierrors.NewTimeoutError(timedOutByRelay, 0).Status()), nil
}
