package matchers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Reply is what is asked of one answer of the API server.
type Reply struct {
	text string
	// codes are the HTTP statuses that the answer may have; none for one that says nothing of them.
	codes []int
	// wrong says what the answer lacks, or nothing.
	wrong func(*history.Exchange) string
}

// WithCode asks for one of these HTTP statuses.
func WithCode(codes ...int) Reply {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = fmt.Sprint(code)
	}
	text := strings.Join(words, " or ")
	return Reply{text: text, codes: codes, wrong: func(e *history.Exchange) string {
		if slices.Contains(codes, e.Code) {
			return ""
		}
		return fmt.Sprintf("%d: %s", e.Code, answerOfServer(e))
	}}
}

// WithSuccess asks for a Status that says Success.
func WithSuccess() Reply {
	return Reply{text: "a Status that says Success", wrong: func(e *history.Exchange) string {
		if e.Status == metav1.StatusSuccess {
			return ""
		}
		return fmt.Sprintf("the Status %q", e.Status)
	}}
}

// WithCause asks for a cause of that type, with a message.
func WithCause(cause metav1.CauseType) Reply {
	return Reply{text: fmt.Sprintf("the cause %s and its explanation", cause), wrong: func(e *history.Exchange) string {
		if has(e, cause) {
			return ""
		}
		return fmt.Sprintf("the causes %v", e.Causes)
	}}
}

func has(e *history.Exchange, cause metav1.CauseType) bool {
	return slices.ContainsFunc(e.Causes, func(c metav1.StatusCause) bool { return c.Type == cause && c.Message != "" })
}

// WithRetryAfter asks that the answer advises to wait that many seconds before another try, or none if it is 0.
func WithRetryAfter(seconds int) Reply {
	text := "no time to wait"
	if seconds > 0 {
		text = fmt.Sprintf("the advice to wait %d s", seconds)
	}
	return Reply{text: text, wrong: func(e *history.Exchange) string {
		if e.RetryAfter == seconds {
			return ""
		}
		return fmt.Sprintf("the advice to wait %d s", e.RetryAfter)
	}}
}

// WithAdvice asks that the answer advises to try again, after whatever time.
func WithAdvice() Reply {
	return Reply{text: "the advice to try again", wrong: func(e *history.Exchange) string {
		if e.RetryAfter > 0 {
			return ""
		}
		return "no such advice"
	}}
}

// WithMessage asks that the answer's message has the text, such as the name of a field.
func WithMessage(text string) Reply {
	return Reply{text: "a message with " + text, wrong: func(e *history.Exchange) string {
		if strings.Contains(e.Message, text) {
			return ""
		}
		return fmt.Sprintf("the message %q", e.Message)
	}}
}

// WithItems asks that a list holds exactly these, in any order.
func WithItems(items ...string) Reply {
	want := slices.Sorted(slices.Values(items))
	return Reply{text: fmt.Sprintf("a list of %v", want), wrong: func(e *history.Exchange) string {
		if got := slices.Sorted(slices.Values(e.Items)); !slices.Equal(got, want) {
			return fmt.Sprintf("a list of %v", got)
		}
		return ""
	}}
}

// WithItem asks that a list holds this, among others.
func WithItem(item string) Reply {
	return Reply{text: "a list with " + item, wrong: func(e *history.Exchange) string {
		if slices.Contains(e.Items, item) {
			return ""
		}
		return "a list without it"
	}}
}

// Answers asks that the API server answered what was asked, each time, like this.
func Answers(what string, answered Event, like ...Reply) Matcher {
	texts := make([]string, len(like))
	var codes []int
	for i, reply := range like {
		texts[i] = reply.text
		codes = append(codes, reply.codes...)
	}
	promise := fmt.Sprintf("%s answers %s", what, strings.Join(texts, ", with "))
	return question{promise: promise, subjects: []Event{answered}, ask: func(s *Survey, _ string) Answer {
		found := answered.find(s)
		if len(found) == 0 {
			return untested("no %s", answered)
		}
		for _, o := range found {
			if why := isCircumstance(o.Exchange, codes); why != "" {
				return untested("the API server gave no verdict on the request: %s", why)
			}
			for _, reply := range like {
				if got := reply.wrong(o.Exchange); got != "" {
					return s.wrongAnswer(got, o)
				}
			}
		}
		return kept()
	}}
}

// isCircumstance says why an answer says nothing of the request: none came, the server could not, or too many others asked at the time (which is no Status).
// What was asked for by its code is no circumstance.
func isCircumstance(e *history.Exchange, codes []int) string {
	switch {
	case e.Code == http.StatusTooManyRequests && e.Status == "":
		return "it limits the rate of requests: " + answerOfServer(e)
	case slices.Contains(codes, e.Code):
		return ""
	case e.Code == 0, e.Code == http.StatusServiceUnavailable, e.Code == http.StatusGatewayTimeout, e.Code == http.StatusBadGateway:
		return answerOfServer(e)
	}
	return ""
}

// AnswersSame asks that an answer of the API server shows the same object as an earlier one. Each of the events is one answer.
func AnswersSame(what string, earlier, later Event) Matcher {
	return question{promise: what + " shows the same object", subjects: []Event{earlier, later}, ask: func(s *Survey, _ string) Answer {
		before, after := earlier.find(s), later.find(s)
		switch {
		case len(before) != 1 || before[0].Exchange.UID == "":
			return untested("no object in one %s", earlier)
		case len(after) != 1:
			return untested("%d × %s, want one", len(after), later)
		}
		if why := isCircumstance(after[0].Exchange, nil); why != "" {
			return untested("the API server gave no verdict on the request: %s", why)
		}
		if got, want := after[0].Exchange.UID, before[0].Exchange.UID; got != want {
			return s.wrongAnswer(fmt.Sprintf("%s, UID %q instead of %q", answerOfServer(after[0].Exchange), got, want), after[0])
		}
		return kept()
	}}
}

// SentAs asks that the Eviction that was sent had that apiVersion.
func SentAs(apiVersion string) Reply {
	return Reply{text: "what was sent as " + apiVersion, wrong: func(e *history.Exchange) string {
		if e.Sent == apiVersion {
			return ""
		}
		return fmt.Sprintf("an Eviction of %q", e.Sent)
	}}
}

// Effected asks that x has happened by the end of the history if one of the requests was accepted: what the API server accepts it has done when it answers,
// so there is nothing to wait for. Without an accepted request it is not tested.
func Effected(x, answered Event) Matcher {
	return question{promise: fmt.Sprintf("%s, once %s is that it was accepted", x, answered), subjects: []Event{x}, bounds: []Event{answered}, ask: func(s *Survey, _ string) Answer {
		accepted := keep(answered.find(s), func(o Occurrence) bool { return o.Exchange.Accepted() })
		switch {
		case len(accepted) == 0:
			return untested("no %s is that it was accepted", answered)
		case len(x.find(s)) == 0:
			return s.wrongAnswer(fmt.Sprintf("no %s at all", x), accepted[0])
		}
		return kept()
	}}
}
