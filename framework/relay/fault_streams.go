package relay

import (
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// NoStreamedLists refuses watches that are to begin with all that there is, as an API server does without its feature WatchList. The client has to list instead.
type NoStreamedLists struct{}

// String implements Effect.
func (NoStreamedLists) String() string { return "refused, since lists are not streamed" }

func (NoStreamedLists) appliesTo(request *http.Request) bool { return streams(request) }

func (NoStreamedLists) lasts() time.Duration { return 0 }

func (NoStreamedLists) answer(m meeting, _ http.RoundTripper) (*http.Response, error) {
	defer m.over()
	forbidden := field.Forbidden(field.NewPath(streamParameter), "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
	invalid := apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", field.ErrorList{forbidden})
	return refusal(m.request, invalid.Status()), nil
}

// streams reports whether the request is a watch that begins with all that there is.
func streams(request *http.Request) bool { return request.URL.Query().Get(streamParameter) == "true" }
