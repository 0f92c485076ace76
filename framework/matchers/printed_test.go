package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestWhatWasPrintedIsAskedForItsProblem(t *testing.T) {
	g := NewWithT(t)
	h := &history.History{CaughtUp: true}
	g.Expect(h).To(Printed("it lists three", ""))
	wrong := Printed("it lists three", "it lists two")
	g.Expect(h).NotTo(wrong)
	g.Expect(wrong.FailureMessage(h)).To(ContainSubstring("it lists three: got it lists two"))
}
