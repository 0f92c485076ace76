package pulse

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestAPulseThatOnlyAsksNoticesWhenNobodyIsAnswered(t *testing.T) {
	refused := errors.New("connection refused")
	for name, trouble := range map[string]func(context.Context) error{
		"answers that fail": func(context.Context) error { return refused },
		"answers that come late": func(ctx context.Context) error {
			late, cancel := context.WithTimeout(ctx, Silence+askInterval)
			defer cancel()
			<-late.Done()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			var troubled atomic.Bool
			p, err := Ask(t.Context(), func(ctx context.Context) error {
				if troubled.Load() {
					return trouble(ctx)
				}
				return nil
			})
			g.Expect(err).NotTo(HaveOccurred())
			defer p.Stop()
			past, underWay := p.Standstills()
			g.Expect(past).To(BeEmpty())
			g.Expect(underWay).To(BeNil())

			troubled.Store(true)
			g.Eventually(func() *Standstill { _, underWay := p.Standstills(); return underWay }).WithTimeout(10 * time.Second).ShouldNot(BeNil())
			g.Expect(p.Lively()).To(BeFalse())
			troubled.Store(false)
			g.Eventually(func() []Standstill { past, _ := p.Standstills(); return past }).WithTimeout(10 * time.Second).Should(HaveLen(1))
			g.Eventually(p.Lively).Should(BeTrue())
		})
	}
}

func TestAPulseThatIsNeverAnsweredDoesNotBegin(t *testing.T) {
	refused := errors.New("connection refused")
	ctx, cancel := context.WithTimeoutCause(t.Context(), askInterval/2, errors.New("long enough"))
	defer cancel()
	_, err := Ask(ctx, func(context.Context) error { return refused })
	NewWithT(t).Expect(err).To(MatchError(And(ContainSubstring("long enough"), ContainSubstring("connection refused"))))
}
