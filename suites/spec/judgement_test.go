package spec

import (
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// recording is a whole one, in which the implementation deletes an available old pod with maxSurge before there is another, if it is to break SURGE-006.
func recording(t *testing.T, breaks bool, ending history.Ending) *history.History {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent", historytest.MaxSurge("1"))
	old := ds.Pod("old", "node-1").Ready()
	b.After(3 * Prompt)
	ds.Update("v2")
	if breaks {
		old.Terminating()
	}
	b.After(3 * Prompt)
	h := b.End(ending).History()
	h.Features = []string{string(requirements.DaemonSet), string(requirements.Surge)}
	return h
}

// verdicts of the spec on the recording, with their reasons.
func verdicts(t *testing.T, s *Spec, h *history.History) map[requirements.ID]reports.Outcome {
	t.Helper()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[requirements.ID]reports.Outcome{}
	for _, outcome := range s.Judge(h, catalogue).Outcomes {
		outcomes[outcome.Requirement] = outcome
	}
	return outcomes
}

func is(verdict reports.Verdict, reason string) OmegaMatcher {
	return gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{"Verdict": Equal(verdict), "Reason": ContainSubstring(reason)})
}

func TestWhatAStandingRuleSeesBrokenIsBrokenWhateverBecameOfTheScenario(t *testing.T) {
	g := NewWithT(t)
	s := &Spec{Text: "a spec", Decides: Decides("ROLLING-006")}
	got := verdicts(t, s, recording(t, true, history.Ending{Aborted: "it could not go on"}))
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("SURGE-006"), is(reports.Fail, "")), "also one that the spec does not declare")
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("ROLLING-006"), is(reports.Inconclusive, "it could not go on")))
}

func TestWhatComesOfOneCauseIsHeldAgainstTheSpecsOwnRequirementsAlone(t *testing.T) {
	g := NewWithT(t)
	s := &Spec{Text: "a spec", Decides: Decides("RECOVERY-008"), Check: func(j *Checks) { j.Decide("RECOVERY-008", matchers.Keeps("SURGE-006")) }, wants: wants{oneCause: true}}
	got := verdicts(t, s, recording(t, true, history.Ending{}))
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("RECOVERY-008"), is(reports.Fail, "")))
	g.Expect(got).To(HaveLen(1))
	s.Decides = Decides("SURGE-006")
	s.Check = nil
	g.Expect(verdicts(t, s, recording(t, true, history.Ending{}))).To(HaveKeyWithValue(requirements.ID("SURGE-006"), is(reports.Fail, "")))
}

func TestChecksAreAskedOnlyWhenTheScenarioReachedItsEnd(t *testing.T) {
	g := NewWithT(t)
	asked := 0
	s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005"), Check: func(c *Checks) {
		asked++
		c.Decide("ROLLING-005", matchers.EndsRolledOut())
	}}
	g.Expect(verdicts(t, s, recording(t, false, history.Ending{Aborted: "no"}))).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.Inconclusive, "no")))
	g.Expect(verdicts(t, s, recording(t, false, history.Ending{Impossible: "no"}))).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.NotRun, "no")))
	cut := recording(t, false, history.Ending{})
	cut.Entries = cut.Entries[:len(cut.Entries)-1]
	g.Expect(verdicts(t, s, cut)).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.Inconclusive, "ends before its scenario does")))
	g.Expect(asked).To(BeZero())
	g.Expect(verdicts(t, s, recording(t, false, history.Ending{}))).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.Fail, "")))
	g.Expect(asked).To(Equal(1))
}

func TestAnAssumptionThatIsNotMetBlamesNobody(t *testing.T) {
	g := NewWithT(t)
	s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005"), Check: func(c *Checks) {
		c.Given(matchers.AtLeast(1, matchers.Done(history.DeleteNode)))
		c.Decide("ROLLING-005", matchers.EndsRolledOut())
	}}
	g.Expect(verdicts(t, s, recording(t, false, history.Ending{}))).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.Inconclusive, "an assumption was not met")))
}

func TestWhatWasNotTestedIsNoPass(t *testing.T) {
	s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005", "ROLLING-006"), Check: func(c *Checks) {
		c.Decide("ROLLING-005", matchers.Before(matchers.NodeEligible(), matchers.PodDeleted()))
	}}
	g := NewWithT(t)
	got := verdicts(t, s, recording(t, false, history.Ending{Nodes: "simulated"}))
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.Inconclusive, "no pod deleted")))
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("ROLLING-006"), is(reports.Inconclusive, "nothing in the recording puts it to the test")))
	g.Expect(got["ROLLING-005"].Nodes).To(Equal("simulated"))
}

func TestNobodyIsHeldToWhatTheyDoNotClaim(t *testing.T) {
	g := NewWithT(t)
	h := recording(t, true, history.Ending{})
	h.Features = []string{string(requirements.DaemonSet)}
	got := verdicts(t, &Spec{Text: "a spec", Decides: Decides("SURGE-002")}, h)
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("SURGE-002"), is(reports.Unsupported, "does not claim Surge")))
	g.Expect(got).NotTo(HaveKey(requirements.ID("SURGE-006")))
}

func TestASpecThatAsksForWhatItDidNotDeclareOrBindIsWrongItself(t *testing.T) {
	g := NewWithT(t)
	for _, check := range []func(*Checks){
		func(c *Checks) { c.Decide("SURGE-002", matchers.EndsRolledOut()) },
		func(c *Checks) {
			c.Decide("ROLLING-005", matchers.EndsRolledOut())
			panic("a mistake")
		},
		func(c *Checks) { c.Given(matchers.AtLeast(1, matchers.NodeEligible().On(c.Bound("closed")))) },
	} {
		s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005"), Check: check}
		g.Expect(verdicts(t, s, recording(t, false, history.Ending{}))).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.Inconclusive, "harness: ")))
	}
}
