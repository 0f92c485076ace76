package matchers_test

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// crowd is a history in which the harness evicts pods web-…, one for each of the answers' codes, between two marks, and one more after them.
func crowd(t *testing.T, codes ...int) *history.History {
	t.Helper()
	b := historytest.New(t).Nodes(1).Mark("begin")
	evict := func(name string, code int) {
		b.Stimulus(history.EvictPod, historytest.Object(history.KindPod, name)).
			Answer(history.Exchange{Verb: "create", Resource: "pods", Subresource: "eviction", Name: name, Code: code, Status: metav1.StatusFailure}).Done()
	}
	for _, code := range codes {
		evict("web-a", code)
		evict("other", http.StatusCreated)
	}
	b.Mark("end")
	evict("web-b", http.StatusCreated)
	return b.History()
}

func TestEvictionsAtTheSameTime(t *testing.T) {
	const yes, no, late = http.StatusCreated, http.StatusTooManyRequests, http.StatusGatewayTimeout
	asked := Between(EvictionAnswered("web-"), Marked("begin"), Marked("end"))
	keeps(t, crowd(t, yes, no, no), ExactlyAccepted(1, asked))
	keeps(t, crowd(t, no, no), ExactlyAccepted(0, asked))
	breaks(t, crowd(t, yes, yes, no), ExactlyAccepted(1, asked), "2 of 3 accepted")
	breaks(t, crowd(t, yes, no, no), ExactlyAccepted(2, asked), "only 1 of 3 accepted")
	breaks(t, crowd(t, yes, yes, late), ExactlyAccepted(1, asked), "2 of 3 accepted")
	isUntested(t, crowd(t, yes, no, late), ExactlyAccepted(2, asked), "no verdict on one")
	isUntested(t, crowd(t, yes), ExactlyAccepted(1, asked), "too few to go beyond 1")
	isUntested(t, crowd(t, yes, no), ExactlyAccepted(1, Between(EvictionAnswered("web-"), Marked("end"), Marked("begin"))), "0 × ")
	keeps(t, crowd(t, yes, no), Answers("evicting", First(EvictionAnswered("web-b")), WithCode(yes)))
}

func TestADryRunIsNoEviction(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	b.Stimulus(history.DryRunEviction, historytest.Object(history.KindPod, "a")).
		Answer(history.Exchange{Verb: "create", Resource: "pods", Subresource: "eviction", Name: "a", Code: http.StatusCreated, DryRun: true}).Done()
	keeps(t, b.History(), Never(EvictionAnswered("a")))
}

func TestTheVersionThatWasSent(t *testing.T) {
	sent := eviction(t, history.Exchange{Verb: "create", Code: http.StatusCreated, Sent: "policy/v1beta1"})
	keeps(t, sent, Answers("a drain", Answered(history.EvictPod, "a"), SentAs("policy/v1beta1")))
	breaks(t, sent, Answers("a drain", Answered(history.EvictPod, "a"), SentAs("policy/v1")), `got an Eviction of "policy/v1beta1"`)
}

func TestWhatWasAcceptedIsDone(t *testing.T) {
	evict := func(t *testing.T, code int, deleted bool) *history.History {
		b := historytest.New(t).Nodes(1)
		pod := b.DaemonSet("agent").Pod("a", "node-1")
		b.Stimulus(history.EvictPod, historytest.Object(history.KindPod, "a"))
		if deleted {
			pod.Terminating()
		}
		return b.Answer(history.Exchange{Verb: "create", Subresource: "eviction", Name: "a", Code: code, Status: metav1.StatusSuccess}).Done().History()
	}
	done := Effected(PodDeleted(Named("a")), Answered(history.EvictPod, "a"))
	keeps(t, evict(t, http.StatusCreated, true), done)
	// The recording ends while things still change, but the answer is that it was done.
	breaks(t, evict(t, http.StatusCreated, false), done, "no a pod deleted at all")
	isUntested(t, evict(t, http.StatusTooManyRequests, false), done, "accepted")
}
