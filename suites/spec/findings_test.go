package spec

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestAViolationIsAFailureWhateverBecameOfTheScenario(t *testing.T) {
	g := NewWithT(t)
	f := findings{aborted: "it could not go on", violations: []judge.Violation{{Requirement: "SURGE-002"}}}
	verdict, _ := f.verdict("SURGE-002")
	g.Expect(verdict).To(Equal(reports.Fail))
	verdict, reason := f.verdict("SURGE-001")
	g.Expect(verdict).To(Equal(reports.Inconclusive))
	g.Expect(reason).To(Equal("it could not go on"))
	g.Expect(f.shows("SURGE-002")).To(BeTrue())
	g.Expect(f.shows("SURGE-001")).To(BeFalse())
}

func TestNobodyIsHeldToWhatTheyDoNotClaim(t *testing.T) {
	g := NewWithT(t)
	catalogue, err := requirements.Load()
	g.Expect(err).NotTo(HaveOccurred())
	c := &Case{process: process{session: Session{Features: []requirements.Feature{requirements.DaemonSet}}, catalogue: catalogue}}
	feature, claimed := c.claims("SURGE-002")
	g.Expect(claimed).To(BeFalse())
	g.Expect(NotClaimed(feature)).To(Equal("the implementation does not claim Surge"))
	_, claimed = c.claims("ROLLING-002")
	g.Expect(claimed).To(BeTrue())
}
