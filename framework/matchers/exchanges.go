package matchers

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Answered happens when the API server has answered the write by which the harness carries out the act on the object of that name, once for each time
// that the harness did so. Where the write was tried again, as after a conflict, the last answer counts. An act that came to no write at all has none.
func Answered(act history.Act, name string) Event {
	return eventOf(fmt.Sprintf("answer to %q of %s", act, name), &leaf{follow: func(_ *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		f := answers{act: act, name: name, last: map[int]Occurrence{}, emit: emit}
		return f.step
	}})
}

// answers follows the requests that carry out an act on an object.
type answers struct {
	act  history.Act
	name string
	// last are the newest exchanges of the acts that are under way, by the number of their stimulus.
	last  map[int]Occurrence
	index int
	emit  func(Moment)
}

func (f *answers) step(cluster *history.Cluster, change history.Change) {
	now := Occurrence{Change: change, At: change.Time, index: f.index}
	f.index++
	switch {
	case change.Stimulus != nil && change.Stimulus.Act == f.act && change.Stimulus.Name == f.name:
		// Until there is an exchange the act has come to nothing.
		now.Exchange = &history.Exchange{Stimulus: change.Stimulus.Number, Error: "no request was sent"}
		f.last[change.Stimulus.Number] = now
	case change.Exchange != nil:
		if _, underway := f.last[change.Exchange.Stimulus]; underway {
			f.last[change.Exchange.Stimulus] = now
		}
	case change.Outcome != nil:
		if answer, underway := f.last[change.Outcome.Stimulus]; underway {
			delete(f.last, change.Outcome.Stimulus)
			f.emit(Moment{Occurrence: answer, cluster: cluster})
		}
	}
}

// Accepted asks that the API server did what was asked, each time. An answer that is no verdict on the request, such as a timeout, decides nothing.
func Accepted(what string, answered Event) Matcher {
	return eachAnswer(what+" is accepted", answered, func(e *history.Exchange) (string, error) {
		if e.Accepted() {
			return "", nil
		}
		return answerOfServer(e), nil
	})
}

// Rejected asks that the API server refused the request as invalid, with an error that names the field.
func Rejected(what, field string, answered Event) Matcher {
	return eachAnswer(fmt.Sprintf("%s is rejected as invalid, with an error that names %s", what, field), answered, func(e *history.Exchange) (string, error) {
		if e.Reason == string(metav1.StatusReasonInvalid) && strings.Contains(e.Message, field) {
			return "", nil
		}
		return answerOfServer(e), nil
	})
}

// Refused asks that the API server refused the request, be it as invalid or as not even readable.
func Refused(what string, answered Event) Matcher {
	return eachAnswer(what+" is rejected", answered, notRefused)
}

// notRefused returns the answer in words unless it is a refusal.
func notRefused(e *history.Exchange) (string, error) {
	if e.Reason == string(metav1.StatusReasonInvalid) || e.Reason == string(metav1.StatusReasonBadRequest) {
		return "", nil
	}
	return answerOfServer(e), nil
}

// Stored asks that the API server did what was asked, each time, and what it stored: read returns that in words, and it must be what is wanted.
func Stored[T any](what, want string, answered Event, read func(*T) string) Matcher {
	return eachAnswer(fmt.Sprintf("%s is %s", what, want), answered, func(e *history.Exchange) (string, error) {
		if !e.Accepted() {
			return answerOfServer(e), nil
		}
		return differs(e, want, read)
	})
}

// RefusedOrStored asks that the API server refused the request as Refused asks, or that it had no effect on what read returns in words, which is kept.
func RefusedOrStored[T any](what, kept string, answered Event, read func(*T) string) Matcher {
	return eachAnswer(fmt.Sprintf("%s is rejected, or leaves it at %s", what, kept), answered, func(e *history.Exchange) (string, error) {
		if !e.Accepted() {
			return notRefused(e)
		}
		return differs(e, kept, read)
	})
}

// StoredAfter asks how what the API server stored differs from what it had stored in answer to an earlier request. Each of the events is one answer.
// difference says what is wrong, or nothing.
func StoredAfter[T any](promise string, earlier, later Event, difference func(before, after *T) string) Matcher {
	return question{promise: promise, subjects: []Event{earlier, later}, ask: func(s *Survey, _ string) Answer {
		before, unstored := storedOnce[T](s, earlier)
		if unstored != "" {
			return untested("%s", unstored)
		}
		after, unstored := storedOnce[T](s, later)
		if unstored != "" {
			return untested("%s", unstored)
		}
		if problem := difference(before, after); problem != "" {
			return s.wrongAnswer(problem, later.find(s)[0])
		}
		return kept()
	}}
}

// storedOnce is what the API server stored when it gave that answer, or why it cannot be said.
func storedOnce[T any](s *Survey, answered Event) (stored *T, missing string) {
	found := answered.find(s)
	switch {
	case len(found) != 1:
		return nil, fmt.Sprintf("%d × %s, want one", len(found), answered)
	case !found[0].Exchange.Accepted():
		return nil, fmt.Sprintf("%s: %s", answered, answerOfServer(found[0].Exchange))
	}
	stored, err := objectIn[T](found[0].Exchange)
	if err != nil {
		return nil, err.Error()
	}
	return stored, ""
}

// differs says what read returns of the stored object if that is not what is wanted.
func differs[T any](e *history.Exchange, want string, read func(*T) string) (string, error) {
	stored, err := objectIn[T](e)
	if err != nil {
		return "", err
	}
	if got := read(stored); got != want {
		return got, nil
	}
	return "", nil
}

// objectIn is the object in the answer.
func objectIn[T any](e *history.Exchange) (*T, error) {
	stored := new(T)
	if err := json.Unmarshal(e.Object, stored); err != nil {
		return nil, fmt.Errorf("an answer that is no %s: %w", reflect.TypeFor[T]().Name(), err)
	}
	return stored, nil
}

// eachAnswer asks the same of each of the answers. problem says what is wrong with one, or nothing; its error, why that cannot be said.
func eachAnswer(promise string, answered Event, problem func(*history.Exchange) (string, error)) Matcher {
	return question{promise: promise, subjects: []Event{answered}, ask: func(s *Survey, _ string) Answer {
		found := answered.find(s)
		if len(found) == 0 {
			return untested("no %s", answered)
		}
		for _, o := range found {
			if !isVerdict(o.Exchange) {
				return untested("the API server gave no verdict on the request: %s", answerOfServer(o.Exchange))
			}
			switch got, err := problem(o.Exchange); {
			case err != nil:
				return untested("%s: %v", answered, err)
			case got != "":
				return s.wrongAnswer(got, o)
			}
		}
		return kept()
	}}
}

// wrongAnswer is a violation by an answer of the API server, unless a standstill may explain it.
func (s *Survey) wrongAnswer(got string, o Occurrence) Answer {
	if answer, excused := s.excused(got, o.At); excused {
		return answer
	}
	return broken(&judge.Violation{Got: got, ResourceVersion: o.ResourceVersion, Time: o.At, Window: []history.Entry{o.Entry}})
}

// isVerdict reports whether the answer is the API server's judgement of the write. What was read before, or failed to be, is none.
func isVerdict(e *history.Exchange) bool {
	if e.Verb == "get" {
		return false
	}
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

// RefusedOrPruned asks that the API server refused the request as Refused asks, or stored nothing under a field of that name.
func RefusedOrPruned(what, field string, answered Event) Matcher {
	return eachAnswer(fmt.Sprintf("%s is rejected, or not stored", what), answered, func(e *history.Exchange) (string, error) {
		if !e.Accepted() {
			return notRefused(e)
		}
		if strings.Contains(string(e.Object), fmt.Sprintf("%q:", field)) {
			return "stored with " + field, nil
		}
		return "", nil
	})
}
