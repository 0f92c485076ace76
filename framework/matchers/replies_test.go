package matchers_test

import (
	"net/http"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// eviction is a history in which the harness evicts pod a, with that answer.
func eviction(t *testing.T, answer history.Exchange) *history.History {
	t.Helper()
	b := historytest.New(t).Nodes(1)
	b.Stimulus(history.EvictPod, historytest.Object(history.KindPod, "a"))
	return b.Answer(answer).Done().History()
}

func TestRepliesToEvictions(t *testing.T) {
	asked := Answered(history.EvictPod, "a")
	cause := metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: "needs 2"}
	refused := eviction(t, history.Exchange{
		Verb: "create", Code: http.StatusTooManyRequests, Status: metav1.StatusFailure, Message: "the budget is used up", RetryAfter: 10,
		Causes: []metav1.StatusCause{cause},
	})
	keeps(t, refused, Answers("evicting", asked, WithCode(http.StatusTooManyRequests), WithCause(policyv1.DisruptionBudgetCause), WithRetryAfter(10), WithAdvice(),
		WithMessage("used up")))
	breaks(t, refused, Answers("evicting", asked, WithCode(http.StatusCreated)), "evicting answers 201", "429: the budget is used up")
	breaks(t, refused, Answers("evicting", asked, WithCode(http.StatusTooManyRequests), WithRetryAfter(0)), "no time to wait: got the advice to wait 10 s")
	breaks(t, refused, Answers("evicting", asked, WithSuccess()), `got the Status "Failure"`)
	breaks(t, refused, Answers("evicting", asked, WithMessage("metadata.name")), "the budget is used up")
	breaks(t, refused, Answers("evicting", asked, WithCause("FieldValueInvalid")), "DisruptionBudget")

	unexplained := eviction(t, history.Exchange{Verb: "create", Code: http.StatusTooManyRequests, Status: metav1.StatusFailure})
	breaks(t, unexplained, Answers("evicting", asked, WithCause(policyv1.DisruptionBudgetCause)), "the causes []")
	breaks(t, unexplained, Answers("evicting", asked, WithAdvice()), "no such advice")

	done := eviction(t, history.Exchange{Verb: "create", Code: http.StatusCreated, Status: metav1.StatusSuccess})
	keeps(t, done, Answers("evicting", asked, WithCode(http.StatusCreated), WithSuccess()))
	breaks(t, done, Answers("evicting", asked, WithCode(http.StatusNotFound, http.StatusConflict)), "404 or 409", "201: accepted")
}

func TestWhatSaysNothingOfARequestDecidesNothing(t *testing.T) {
	asked := Answered(history.EvictPod, "a")
	refused := Answers("evicting", asked, WithCode(http.StatusTooManyRequests), WithCause(policyv1.DisruptionBudgetCause))
	for name, answer := range map[string]history.Exchange{
		"no answer": timeout, "an API server that is not ready": {Verb: "create", Code: http.StatusServiceUnavailable},
		"a time-out of the API server": {Verb: "create", Code: http.StatusGatewayTimeout, Status: metav1.StatusFailure},
	} {
		t.Run(name, func(t *testing.T) { isUntested(t, eviction(t, answer), refused, "no verdict") })
	}
	isUntested(t, eviction(t, history.Exchange{Verb: "create", Code: http.StatusTooManyRequests}), refused, "limits the rate of requests")
	awaited := eviction(t, history.Exchange{Verb: "create", Code: http.StatusGatewayTimeout, RetryAfter: 10})
	keeps(t, awaited, Answers("evicting", asked, WithCode(http.StatusGatewayTimeout), WithAdvice()))
}

func TestLists(t *testing.T) {
	asked := Answered(history.EvictPod, "a")
	listed := eviction(t, history.Exchange{Verb: "list", Code: http.StatusOK, Items: []string{"n/b", "n/a"}})
	keeps(t, listed, Answers("listing", asked, WithItems("n/a", "n/b"), WithItem("n/b")))
	breaks(t, listed, Answers("listing", asked, WithItems("n/a")), "a list of [n/a]: got a list of [n/a n/b]")
	breaks(t, listed, Answers("listing", asked, WithItem("n/c")), "a list without it")
}

func TestTheSameObject(t *testing.T) {
	told := func(uid string) *history.History {
		b := historytest.New(t).Nodes(1)
		b.Stimulus(history.CreateBudget, historytest.Object(history.KindPodDisruptionBudget, "a")).
			Answer(history.Exchange{Verb: "create", Code: http.StatusCreated, UID: "u1"}).Done()
		b.Stimulus(history.ReadBudget, historytest.Object(history.KindPodDisruptionBudget, "a")).
			Answer(history.Exchange{Verb: "get", Code: http.StatusOK, UID: types.UID(uid)}).Done()
		return b.History()
	}
	same := AnswersSame("reading it", Answered(history.CreateBudget, "a"), Answered(history.ReadBudget, "a"))
	keeps(t, told("u1"), same)
	breaks(t, told("u2"), same, `UID "u2" instead of "u1"`)
}
