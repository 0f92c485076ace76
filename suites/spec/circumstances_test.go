package spec

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// refused is what a spec decides of a recording in which the implementation was refused creates, and ended if so.
func refused(t *testing.T, ended string, ending history.Ending) (Judgement, reports.Outcome) {
	t.Helper()
	h := recording(t, false, ending)
	h.Refusals = []history.Refusal{{Count: 37, Verb: "create", Resource: "pods", Code: 403, Reason: "Forbidden", Message: "exceeded quota: q, requested"}}
	h.Health = &history.Health{Ended: ended, Log: []string{"a line"}}
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	j := (&Spec{Text: "a spec", Decides: Decides("SURGE-007")}).Judge(h, catalogue)
	j.Tell("recordings/x.jsonl")
	return j, j.Outcomes[0]
}

func TestAnUndecidedRequirementSaysWhatTheImplementationMetWith(t *testing.T) {
	g := NewWithT(t)
	j, outcome := refused(t, "", history.Ending{Aborted: "precondition not met: no pods"})
	g.Expect(outcome.Verdict).To(Equal(reports.Inconclusive))
	g.Expect(outcome.Reason).To(HavePrefix("precondition not met: no pods; the API server refused 37 creates of pods: 403 Forbidden, ResourceQuota q (fix: "))
	g.Expect(outcome.Cause).To(HavePrefix("the API server refuses the implementation's creates of pods: 403 ResourceQuota q"))
	g.Expect(j.Circumstances.Recording).To(Equal("recordings/x.jsonl"))
	g.Expect(j.Circumstances.Refused).To(HaveLen(1))
	g.Expect(j.undecided()).To(And(ContainSubstring("SURGE-007: undecided: precondition"), ContainSubstring("403 Forbidden: exceeded quota"), ContainSubstring("a line")))

	_, outcome = refused(t, "exit status 2", history.Ending{Aborted: "precondition not met: no pods"})
	g.Expect(outcome.Cause).To(Equal("the implementation had ended by itself: exit status 2"))
	g.Expect(outcome.Reason).To(ContainSubstring("; the implementation had ended by itself: exit status 2; "))

	j, outcome = refused(t, "exit status 2", history.Ending{Aborted: EndedEarly + "mine ended"})
	g.Expect(outcome.Reason).To(Equal("the run ended early: mine ended"), "the run has told why")
	g.Expect(outcome.Cause).To(Equal(outcome.Reason))
	g.Expect(j.undecided()).To(Equal("SURGE-007: undecided: the run ended early: mine ended"))
}

func TestAnUndecidedRequirementNamesTheStandstills(t *testing.T) {
	g := NewWithT(t)
	catalogue, err := requirements.Load()
	g.Expect(err).NotTo(HaveOccurred())
	judged := func(standstills ...history.Standstill) Judgement {
		h := recording(t, false, history.Ending{Aborted: "precondition not met: no pods"})
		h.Standstills = standstills
		j := (&Spec{Text: "a spec", Decides: Decides("SURGE-007")}).Judge(h, catalogue)
		j.Tell("recordings/x.jsonl")
		return j
	}
	short := history.Standstill{From: time.Second, Until: 3 * time.Second}
	j := judged(short)
	g.Expect(j.Outcomes[0].Reason).To(Equal("precondition not met: no pods; the API server answered nobody for 2.0 s, from 1.0 s into the recording"))
	g.Expect(j.Circumstances.Standstills).To(ConsistOf(short.String()))
	g.Expect(j.undecided()).To(ContainSubstring("Meanwhile the API server answered nobody for 2.0 s"))
	g.Expect(judged(short, short, short, short).Outcomes[0].Reason).To(HaveSuffix("; and 2 more standstills"))
}

func TestWhatWasDecidedHasNoCircumstances(t *testing.T) {
	h := recording(t, true, history.Ending{})
	catalogue, err := requirements.Load()
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	broken := (&Spec{Text: "a spec", Decides: Decides("SURGE-006")}).Judge(h, catalogue)
	broken.Tell("")
	g.Expect(broken.Circumstances).To(BeNil(), "nothing is known")
	h.Refusals = []history.Refusal{{Count: 1, Verb: "create", Resource: "pods", Code: 403}}
	broken.Tell("")
	g.Expect(broken.Circumstances).NotTo(BeNil(), "of what failed they are told")
	whole := (&Spec{Text: "a spec", Decides: nil}).Judge(recording(t, false, history.Ending{}), catalogue)
	whole.Tell("")
	g.Expect(whole.Circumstances).To(BeNil())
}

func TestTheSamePreconditionIsTheSameCauseInEveryScenario(t *testing.T) {
	of := func(namespace, counts string) string {
		return inGeneral("precondition not met, nothing having changed for 8s: the first pods are available: "+counts+
			" eligible nodes have exactly one pod of DaemonSet daemon: "+namespace+"-0 has no pod, and 2 more", []string{namespace})
	}
	g := NewWithT(t)
	g.Expect(of("surge-007-f60a5f4c", "0 of 5")).To(Equal(
		"precondition not met, nothing having changed for 8s: the first pods are available: none of the eligible nodes have exactly one pod of DaemonSet daemon"))
	g.Expect(of("surge-007-f60a5f4c", "0 of 5")).To(Equal(of("avail-001-abcdef12", "0 of 8")))
	g.Expect(of("surge-007-f60a5f4c", "3 of 5")).NotTo(Equal(of("avail-001-abcdef12", "0 of 8")))
}
