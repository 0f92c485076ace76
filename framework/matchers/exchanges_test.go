package matchers_test

import (
	"fmt"
	"net/http"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// The answers of an API server that says no.
func invalid(field string) history.Exchange {
	return history.Exchange{Verb: "update", Code: http.StatusUnprocessableEntity, Reason: string(metav1.StatusReasonInvalid), Message: field + ": Invalid value: 5"}
}

func refusal(code int, reason metav1.StatusReason) history.Exchange {
	return history.Exchange{Verb: "update", Code: code, Reason: string(reason), Message: "because"}
}

var timeout = history.Exchange{Verb: "update", Error: "context deadline exceeded"}

// updates is a DaemonSet that the harness updates, each time with these answers.
func updates(t *testing.T, answers ...history.Exchange) (*historytest.Builder, *historytest.DaemonSet) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	for _, answer := range answers {
		b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "agent"))
		b.Answer(history.Exchange{Verb: "get", Code: http.StatusOK}).Answer(answer).Done()
	}
	return b, ds
}

func seconds(d *appsv1.DaemonSet) string { return fmt.Sprint(d.Spec.MinReadySeconds) }

func TestAnswersOfTheServer(t *testing.T) {
	updated := Answered(history.UpdateDaemonSet, "agent")
	accepted, rejected, refused := Accepted("it", updated), Rejected("it", "minReadySeconds", updated), Refused("it", updated)
	stored := Stored("minReadySeconds", "0", updated, seconds)
	either := RefusedOrStored("a change", "0", updated, seconds)

	_, ds := updates(t)
	b, _ := updates(t)
	b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "agent")).Stores("update", ds.Object()).Done()
	ok := b.History()
	keeps(t, ok, accepted)
	breaks(t, ok, rejected, "accepted", "update daemonsets agent")
	breaks(t, ok, refused, "accepted")
	keeps(t, ok, stored)
	keeps(t, ok, either)
	breaks(t, ok, Stored("minReadySeconds", "7", updated, seconds), "minReadySeconds is 7: got 0")
	breaks(t, ok, RefusedOrStored("a change", "7", updated, seconds), "a change is rejected, or leaves it at 7: got 0")

	b, _ = updates(t, invalid("spec.minReadySeconds"))
	no := b.History()
	breaks(t, no, accepted, "Invalid value")
	keeps(t, no, rejected)
	keeps(t, no, refused)
	breaks(t, no, stored, "Invalid value")
	keeps(t, no, either)

	b, _ = updates(t, invalid("spec.selector"))
	breaks(t, b.History(), rejected, "spec.selector")
	keeps(t, b.History(), refused)

	b, _ = updates(t, refusal(http.StatusBadRequest, metav1.StatusReasonBadRequest))
	breaks(t, b.History(), rejected, "because")
	keeps(t, b.History(), refused)

	b, _ = updates(t, refusal(http.StatusForbidden, metav1.StatusReasonForbidden))
	for _, m := range []Matcher{accepted, rejected, refused, stored, either} {
		breaks(t, b.History(), m, "because")
	}
}

func TestAnAnswerThatIsNoVerdictDecidesNothing(t *testing.T) {
	updated := Answered(history.UpdateDaemonSet, "agent")
	all := []Matcher{
		Accepted("it", updated), Rejected("it", "spec", updated), Refused("it", updated),
		Stored("it", "0", updated, seconds), RefusedOrStored("it", "0", updated, seconds),
	}
	for name, answer := range map[string]history.Exchange{
		"a timeout": timeout, "an error of the server": refusal(http.StatusInternalServerError, metav1.StatusReasonInternalError),
		"an error without words": {Verb: "update", Code: http.StatusBadGateway}, "too many requests": refusal(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests),
		"a conflict": refusal(http.StatusConflict, metav1.StatusReasonConflict), "what was read before": {Verb: "get", Code: http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := updates(t, answer)
			for _, m := range all {
				isUntested(t, b.History(), m, "no verdict")
			}
		})
	}
	t.Run("nothing was sent", func(t *testing.T) {
		b, _ := updates(t)
		b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "agent")).Done()
		isUntested(t, b.History(), all[0], "no request was sent")
	})
	t.Run("it was not done at all, or to another, or is still under way", func(t *testing.T) {
		b, _ := updates(t)
		b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "other")).Answer(invalid("spec")).Done()
		b.Stimulus(history.CreateDaemonSet, historytest.Object(history.KindDaemonSet, "agent")).Answer(invalid("spec")).Done()
		b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "agent")).Answer(invalid("spec"))
		for _, m := range all {
			isUntested(t, b.History(), m, `no answer to "update DaemonSet" of agent`)
		}
	})
}

func TestAnAnswerWithoutTheObjectSaysNothingOfWhatWasStored(t *testing.T) {
	b, _ := updates(t, history.Exchange{Verb: "update", Code: http.StatusOK})
	updated := Answered(history.UpdateDaemonSet, "agent")
	keeps(t, b.History(), Accepted("it", updated))
	isUntested(t, b.History(), Stored("it", "0", updated, seconds), "no DaemonSet")
	isUntested(t, b.History(), RefusedOrStored("it", "0", updated, seconds), "no DaemonSet")
}

func TestTheLastAnswerToEachActCounts(t *testing.T) {
	conflict := refusal(http.StatusConflict, metav1.StatusReasonConflict)
	b, ds := updates(t, timeout)
	b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "agent"))
	b.Answer(conflict).Answer(conflict).Stores("update", ds.Object()).Done()
	b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "agent")).Answer(conflict).Answer(invalid("spec")).Done()
	h := b.History()
	updated := Answered(history.UpdateDaemonSet, "agent")
	isUntested(t, h, Accepted("the first", First(updated)), "deadline exceeded")
	keeps(t, h, Accepted("the second", Nth(2, updated)))
	keeps(t, h, Rejected("the third", "spec", Nth(3, updated)))
	isUntested(t, h, Rejected("the fourth", "spec", Nth(4, updated)))
	isUntested(t, h, Accepted("each", updated))
}

func TestStoredAfter(t *testing.T) {
	b, ds := updates(t)
	write := func(act history.Act, options ...historytest.Option) {
		b.Stimulus(act, historytest.Object(history.KindDaemonSet, "agent"))
		b.Stores("update", ds.Set(options...).Object()).Done()
	}
	write(history.CreateDaemonSet)
	write(history.UpdateDaemonSet, historytest.MinReadySeconds(3))
	b.Stimulus(history.UpdateDaemonSet, historytest.Object(history.KindDaemonSet, "agent")).Answer(invalid("spec")).Done()
	h := b.History()
	created, updated := Answered(history.CreateDaemonSet, "agent"), Answered(history.UpdateDaemonSet, "agent")
	grows := func(before, after *appsv1.DaemonSet) string {
		if after.Spec.MinReadySeconds > before.Spec.MinReadySeconds {
			return ""
		}
		return fmt.Sprintf("%d after %d", after.Spec.MinReadySeconds, before.Spec.MinReadySeconds)
	}
	keeps(t, h, StoredAfter("it grows", created, First(updated), grows))
	breaks(t, h, StoredAfter("it grows", First(updated), created, grows), "it grows: got 0 after 3")
	isUntested(t, h, StoredAfter("it grows", created, Nth(2, updated), grows), "Invalid value")
	isUntested(t, h, StoredAfter("it grows", Nth(3, updated), created, grows), "0 × ")
	isUntested(t, h, StoredAfter("it grows", created, updated, grows), "2 × ")
}
