package seedtest

import (
	"flag"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestSeeds(t *testing.T) {
	now := time.UnixMicro(7)
	for value, want := range map[string]string{"": "7", "12": "12", "18446744073709551615": "18446744073709551615"} {
		g := NewWithT(t)
		seed, err := of(value, now)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(seed).To(Equal(want))
	}
	for _, value := range []string{"0", "-1", "0x10", "twelve", "18446744073709551616"} {
		_, err := of(value, now)
		NewWithT(t).Expect(err).To(MatchError(And(ContainSubstring(Variable), ContainSubstring(value), ContainSubstring("positive decimal integer"))))
	}
}

func TestAFlagThatIsGivenStays(t *testing.T) {
	g := NewWithT(t)
	of := flag.Int("seedtest.of", 0, "")
	g.Expect(Preset("seedtest.of", "0", "5")).To(Succeed())
	g.Expect(Preset("seedtest.of", "0", "6")).To(Succeed())
	g.Expect(*of).To(Equal(5))
	g.Expect(Preset("seedtest.none", "0", "6")).To(MatchError(ContainSubstring("-seedtest.none")))
}
