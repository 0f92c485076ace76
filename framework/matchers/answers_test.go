package matchers_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

const long = 20 * time.Second

// rollout is a surge rollout of two nodes, minReadySeconds 5, one after the other; the second old pod lasts until the caller ends it.
func rollout(t testing.TB) (*historytest.Builder, *historytest.DaemonSet, *historytest.Pod) {
	b := historytest.New(t).Nodes(2)
	ds := b.DaemonSet("agent", historytest.MaxSurge("1"), historytest.MinReadySeconds(5))
	first, second := ds.Pod("old-a", "node-1").Ready(), ds.Pod("old-b", "node-2").Ready()
	b.After(long)
	ds.Observed()
	ds.Update("v2")
	ds.Pod("new-a", "node-1").Ready()
	b.After(7 * time.Second)
	first.Terminating().Gone()
	ds.Pod("new-b", "node-2").Ready()
	b.After(7 * time.Second)
	ds.Counts(2, 2, 2, 2, 2)
	return b, ds, second
}

// atRest is the history once nothing has moved for so long that what was due is overdue.
func atRest(b *historytest.Builder) *history.History {
	return b.After(judge.Lag + judge.Prompt).Mark("a while later").History()
}

// answerOf asks the matcher, alone, in the replay of the standing rules.
func answerOf(h *history.History, m Matcher) Answer {
	s := NewSurvey(h, m)
	return s.Ask(m, judge.Run(h, rules.All(), s.Observe))
}

// keeps asserts that the promise was kept, for Gomega, too.
func keeps(t *testing.T, h *history.History, m Matcher) {
	t.Helper()
	g := NewWithT(t)
	answer := answerOf(h, m)
	g.Expect(answer.Kept()).To(BeTrue(), answer.String())
	g.Expect(answer.Promise).NotTo(BeEmpty())
	g.Expect(h).To(m)
	g.Expect(m.NegatedFailureMessage(h)).To(ContainSubstring("kept"))
}

// breaks asserts that the promise was broken, and that the failure text says each of the words.
func breaks(t *testing.T, h *history.History, m Matcher, words ...string) []judge.Violation {
	t.Helper()
	g := NewWithT(t)
	answer := answerOf(h, m)
	g.Expect(answer.Violations).NotTo(BeEmpty(), answer.String())
	g.Expect(h).NotTo(m)
	text := m.FailureMessage(h)
	for _, word := range words {
		g.Expect(text).To(ContainSubstring(word))
	}
	for _, violation := range answer.Violations {
		g.Expect(violation.Promise).NotTo(BeEmpty())
		g.Expect(violation.Got).NotTo(BeEmpty())
		g.Expect(violation.Time).NotTo(BeZero())
		g.Expect(len(violation.Window)).To(BeNumerically("<=", 12))
	}
	return answer.Violations
}

// isUntested asserts that the history does not put the promise to the test, and that the reason says each of the words.
func isUntested(t *testing.T, h *history.History, m Matcher, words ...string) {
	t.Helper()
	g := NewWithT(t)
	answer := answerOf(h, m)
	g.Expect(answer.Violations).To(BeEmpty())
	g.Expect(answer.Kept()).To(BeFalse(), answer.String())
	g.Expect(answer.Promise).NotTo(BeEmpty())
	for _, word := range words {
		g.Expect(answer.Untested).To(ContainSubstring(word))
	}
	g.Expect(h).NotTo(m)
	g.Expect(m.FailureMessage(h)).To(ContainSubstring("not tested"))
}

func TestAMatcherRefusesWhatDecidesNothing(t *testing.T) {
	g := NewWithT(t)
	for _, m := range []Matcher{
		Before(PodCreated(), PodDeleted()), OnEveryNode(Never(PodFailed())), All(Never(PodFailed())), OneOf(Never(PodFailed())), Tested(Never(PodFailed())),
	} {
		_, err := m.Match("a history")
		g.Expect(err).To(MatchError(ContainSubstring("string")))
		g.Expect(m.FailureMessage("a history")).To(ContainSubstring("string"))
		b, _, _ := rollout(t)
		_, err = m.Match(b.Cut())
		g.Expect(err).To(MatchError(ContainSubstring("decides nothing")))
	}
}

func TestAllIsBrokenIfOneIsElseUntestedIfOneIs(t *testing.T) {
	b, _, second := rollout(t)
	second.Terminating()
	h := b.History()
	kept, broken, untested := Never(PodFailed()), Never(PodDeleted()), Before(PodCreated(), PodFailed())
	keeps(t, h, All(kept, kept))
	isUntested(t, h, All(kept, untested), "no pod failed")
	for _, m := range []Matcher{All(kept, broken), All(untested, broken), All(broken, All(untested, kept))} {
		breaks(t, h, m, "old-a")
	}
	g := NewWithT(t)
	answer := answerOf(h, All(untested, broken, broken))
	g.Expect(answer.Violations).To(HaveLen(2))
	g.Expect(answer.Untested).NotTo(BeEmpty(), "both are known")
	g.Expect(answerOf(h, All(kept, untested)).Promise).To(And(ContainSubstring("never pod failed"), ContainSubstring("pod created before")))
}

func TestOneOfIsKeptIfOneIsAndBrokenOnlyIfAllAre(t *testing.T) {
	b, _, second := rollout(t)
	second.Terminating()
	h := b.History()
	kept, broken, untested := Never(PodFailed()), Never(PodDeleted()), Before(PodCreated(), PodFailed())
	keeps(t, h, OneOf(broken, untested, kept))
	isUntested(t, h, OneOf(broken, untested))
	found := breaks(t, h, OneOf(broken, Never(PodCreated())), "pod deleted; and 4 × pod created")
	NewWithT(t).Expect(found).To(HaveLen(1), "one promise with a choice, one violation")
	breaks(t, h, OneOf(All(kept, broken), broken), "either", ", or ")
}

func TestTestedBlamesNobody(t *testing.T) {
	b, _, _ := rollout(t)
	h := atRest(b)
	keeps(t, h, Tested(AtLeast(1, PodDeleted())))
	breaks(t, h, AtLeast(1, PodFailed()))
	isUntested(t, h, Tested(AtLeast(1, PodFailed())), "no pod failed")
	isUntested(t, h, Tested(Before(PodCreated(), PodFailed())))
	breaks(t, h, All(Tested(AtLeast(1, PodFailed())), Never(PodDeleted())), "old-a")
}

func TestAnAnswerIsOneLine(t *testing.T) {
	b, _, _ := rollout(t)
	h := b.History()
	g := NewWithT(t)
	for _, m := range []Matcher{Never(PodFailed()), Never(PodDeleted()), Before(PodCreated(), PodFailed())} {
		line := answerOf(h, m).String()
		g.Expect(line).NotTo(BeEmpty())
		g.Expect(strings.Contains(line, "\n")).To(BeFalse())
	}
}
