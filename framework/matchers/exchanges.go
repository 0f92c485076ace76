package matchers

import (
	"encoding/json"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Answered happens when the API server answers a write by which the harness carries out the act on the object of that name. A conflict that is tried
// again is no answer to the act.
func Answered(act history.Act, name string) Event {
	text := fmt.Sprintf("answer to %q of %s", act, name)
	return eventOf(text, &leaf{follow: func(_ *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		index, under := 0, map[int]bool{}
		return func(cluster *history.Cluster, change history.Change) {
			if s := change.Stimulus; s != nil && s.Act == act && s.Name == name {
				under[s.Number] = true
			}
			if e := change.Exchange; e != nil && under[e.Stimulus] && e.Verb != "get" && e.Reason != string(metav1.StatusReasonConflict) {
				emit(Moment{Occurrence: Occurrence{Change: change, At: change.Time, index: index}, cluster: cluster})
			}
			index++
		}
	}})
}

// Accepted asks that the API server did what was asked, each time. An answer that is no verdict on the request, such as a timeout, decides nothing.
func Accepted(what string, answered Event) Matcher {
	return eachAnswer(what+" is accepted", answered, func(e *history.Exchange) string {
		if e.Accepted() {
			return ""
		}
		return answerOfServer(e)
	})
}

// Rejected asks that the API server refused the request as invalid, with an error that names the field.
func Rejected(what, field string, answered Event) Matcher {
	return eachAnswer(fmt.Sprintf("%s is rejected as invalid, with an error that names %s", what, field), answered, func(e *history.Exchange) string {
		if e.Reason == string(metav1.StatusReasonInvalid) && strings.Contains(e.Message, field) {
			return ""
		}
		return answerOfServer(e)
	})
}

// Refused asks that the API server refused the request, be it as invalid or as not even readable.
func Refused(what string, answered Event) Matcher {
	return eachAnswer(what+" is rejected", answered, func(e *history.Exchange) string {
		if e.Reason == string(metav1.StatusReasonInvalid) || e.Reason == string(metav1.StatusReasonBadRequest) {
			return ""
		}
		return answerOfServer(e)
	})
}

// Stored asks what the API server stored, each time that it accepted: read returns that in words, and it must be what is wanted.
func Stored(what, want string, answered Event, read func(*appsv1.DaemonSet) string) Matcher {
	return eachAnswer(fmt.Sprintf("%s is %s", what, want), answered, func(e *history.Exchange) string {
		if !e.Accepted() {
			return answerOfServer(e)
		}
		daemonSet := &appsv1.DaemonSet{}
		if err := json.Unmarshal(e.Object, daemonSet); err != nil {
			return "an answer that is no DaemonSet: " + err.Error()
		}
		if got := read(daemonSet); got != want {
			return got
		}
		return ""
	})
}

// eachAnswer asks the same of each of the answers; problem says what is wrong with one, or nothing.
func eachAnswer(promise string, answered Event, problem func(*history.Exchange) string) Matcher {
	return question{promise: promise, subjects: []Event{answered}, ask: func(s *Survey, _ string) Answer {
		found := answered.find(s)
		if len(found) == 0 {
			return untested("no %s", answered)
		}
		for _, o := range found {
			if !isVerdict(o.Exchange) {
				return untested("the API server gave no verdict on the request: %s", answerOfServer(o.Exchange))
			}
			if got := problem(o.Exchange); got != "" {
				return broken(&judge.Violation{Got: got, ResourceVersion: o.ResourceVersion, Time: o.At, Window: []history.Entry{o.Entry}})
			}
		}
		return kept()
	}}
}

// isVerdict reports whether the answer is the API server's judgement of the request.
func isVerdict(e *history.Exchange) bool {
	switch metav1.StatusReason(e.Reason) {
	case metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest, metav1.StatusReasonForbidden:
		return true
	}
	return e.Accepted()
}

func answerOfServer(e *history.Exchange) string {
	switch {
	case e.Error != "":
		return e.Error
	case e.Accepted():
		return "accepted"
	case e.Message != "":
		return e.Message
	}
	return fmt.Sprintf("HTTP status %d", e.Code)
}
