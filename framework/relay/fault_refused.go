package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Refused answers a request in the place of the API server, which never hears of it.
type Refused struct {
	// Code is the answer's: one of RefusalCodes.
	Code int
	// RetryAfter is how long the client is told to wait, in whole seconds: with 429 alone. All requests that the fault is about are refused until then.
	RetryAfter time.Duration
}

// RefusalCodes are those that Refused knows: 409 Conflict, 429 Too Many Requests, 500 Internal Server Error and 504 Gateway Timeout.
func RefusalCodes() []int {
	return []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusGatewayTimeout}
}

// String implements Effect.
func (r Refused) String() string {
	text := fmt.Sprintf("%d %s", r.Code, http.StatusText(r.Code))
	if r.RetryAfter > 0 {
		text += fmt.Sprintf(", Retry-After %.0f", r.RetryAfter.Seconds())
	}
	return text
}

func (Refused) appliesTo(*http.Request) bool { return true }

func (r Refused) lasts() time.Duration { return r.RetryAfter }

func (r Refused) answer(m meeting, _ http.RoundTripper) (*http.Response, error) {
	left := time.Until(m.until)
	if r.RetryAfter > 0 {
		// Nothing is due from the client until it may ask again.
		time.AfterFunc(left, m.over)
	} else {
		defer m.over()
	}
	if m.request.Body != nil {
		if err := m.request.Body.Close(); err != nil {
			return nil, err
		}
	}
	// Who asks again has less left to wait.
	return refusal(m.request, r.status(m.asked, max(int(left.Round(time.Second)/time.Second), 1))), nil
}

const refusedByRelay = "the relay has refused the request"

// status is what the API server says with the code; 500 for a code that is none of RefusalCodes.
func (r Refused) status(asked Request, seconds int) metav1.Status {
	resource := schema.GroupResource{Group: asked.Group, Resource: asked.Resource}
	switch r.Code {
	case http.StatusConflict:
		return apierrors.NewConflict(resource, asked.Name, errors.New(refusedByRelay)).Status()
	case http.StatusTooManyRequests:
		return apierrors.NewTooManyRequests(refusedByRelay, seconds).Status()
	case http.StatusGatewayTimeout:
		return apierrors.NewTimeoutError(refusedByRelay, 0).Status()
	}
	return apierrors.NewInternalError(errors.New(refusedByRelay)).Status()
}

// refusal is an answer of the API server that says no more than the status.
func refusal(request *http.Request, status metav1.Status) *http.Response {
	status.Kind, status.APIVersion = "Status", "v1"
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // it is a plain value
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		header.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	code := int(status.Code)
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: request,
	}
}
