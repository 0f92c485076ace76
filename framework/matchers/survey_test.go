package matchers_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

func TestAnyNumberOfMatchersIsAnsweredFromOneReplay(t *testing.T) {
	g := NewWithT(t)
	b, _, second := rollout(t)
	second.Terminating()
	h := b.History()
	// The predicate is asked once of each pod that is created, however many matchers ask for the event, and of whichever nodes.
	asked := 0
	created := PodCreated().Where("counted", func(Moment) bool {
		asked++
		return true
	})
	matchers := []Matcher{
		AtLeast(1, created), OnEveryNode(AtLeast(1, created)), All(Never(PodFailed()), Before(created, PodDeleted())), Exactly(2, Nth(3, created)),
		Within(time.Second, TemplateChanged(), After(created, TemplateChanged())), Tested(OneOf(Never(created), AtMost(9, created))),
	}
	survey := NewSurvey(h, matchers...)
	steps := 0
	standing := judge.Run(h, rules.All(), func(cluster *history.Cluster, change history.Change) {
		steps++
		survey.Observe(cluster, change)
	})
	for _, m := range matchers {
		g.Expect(survey.Ask(m, standing)).To(Equal(answerOf(h, m)), "the answer is what it is alone")
	}
	g.Expect(steps).To(Equal(len(h.Entries)))
	asked = 0
	survey = NewSurvey(h, matchers...)
	judge.Run(h, rules.All(), survey.Observe)
	for _, m := range matchers {
		survey.Ask(m, standing)
		survey.Ask(m, standing)
	}
	g.Expect(asked).To(Equal(4))
}

// BenchmarkOnEveryNode asks of each of 1,000 nodes. One replay of the recording serves them all.
func BenchmarkOnEveryNode(b *testing.B) {
	h := historytest.SurgeRollout(b, 1000)
	m := OnEveryNode(Within(time.Minute, PodCreated(OfVersion("v2")), PodAvailable(OfVersion("v2"))))
	for b.Loop() {
		survey := NewSurvey(h, m)
		h.Replay(survey.Observe)
		if answer := survey.Ask(m, nil); !answer.Kept() {
			b.Fatal(answer)
		}
	}
	b.ReportMetric(float64(len(h.Entries)), "events")
}
