package relay

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StaleList answers a list from an older state, as an API server does whose watch cache is behind. The API server itself answers, with what it had at that time.
// It applies to no list that has to be up to date, and no streamed one: see NoStreamedLists.
type StaleList struct {
	// At is the resourceVersion of the state. The API server must not have compacted it yet: it keeps 5 minutes.
	At string
}

// String implements Effect.
func (s StaleList) String() string { return "answered with the state at resourceVersion " + s.At }

func (s StaleList) appliesTo(request *http.Request) bool { return mayShow(request.URL.Query(), s.At) }

func (StaleList) lasts() time.Duration { return 0 }

func (s StaleList) answer(m meeting, next http.RoundTripper) (*http.Response, error) {
	defer m.over()
	past := m.request.Clone(m.request.Context())
	past.URL.RawQuery = showing(m.request.URL.Query(), s.At).Encode()
	return next.RoundTrip(past)
}

// The parameters of lists that say how fresh the answer has to be.
const (
	versionParameter  = "resourceVersion"
	matchParameter    = "resourceVersionMatch"
	limitParameter    = "limit"
	continueParameter = "continue"
	streamParameter   = "sendInitialEvents"
)

// mayShow reports whether a list with this query may be answered with the state at the version: the client asks for a state that is at least as new as another
// version, which is not newer, or is 0 for any. That is what resourceVersionMatch=NotOlderThan says, and what a resourceVersion alone does where the list is not
// cut into pages. Without a resourceVersion the answer has to be the latest state, with resourceVersionMatch=Exact that state, and the next page is of the same
// state as the one before.
func mayShow(query url.Values, version string) bool {
	oldest, err := strconv.ParseUint(query.Get(versionParameter), 10, 64)
	shown, wrong := strconv.ParseUint(version, 10, 64)
	if err != nil || wrong != nil || oldest > shown || query.Get(continueParameter) != "" {
		return false
	}
	switch metav1.ResourceVersionMatch(query.Get(matchParameter)) {
	case metav1.ResourceVersionMatchNotOlderThan:
		return true
	case "":
		return oldest == 0 || query.Get(limitParameter) == "" || query.Get(limitParameter) == "0"
	}
	return false
}

// showing is the query by which the API server answers with the state at the version. From its cache it answers in one page, whatever the limit.
func showing(query url.Values, version string) url.Values {
	query.Set(versionParameter, version)
	query.Set(matchParameter, string(metav1.ResourceVersionMatchExact))
	query.Del(limitParameter)
	return query
}
