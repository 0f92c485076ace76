package implementation

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestALocalProcessHasAsLongToEndAsAPodAndIsKilledWithoutAnErrorAfterThat(t *testing.T) {
	for name, tt := range map[string]struct {
		role   string
		grace  time.Duration
		status string
		log    string
	}{
		"it ends in time":       {roleSlow, 0, "exit status 0", ""},
		"it does not end":       {roleStubborn, 50 * time.Millisecond, "signal: killed", "rollcall: stopping mine: still running 50ms after SIGTERM, killed"},
		"it does not end soon":  {roleSlow, 50 * time.Millisecond, "signal: killed", "rollcall: stopping mine: still running 50ms after SIGTERM, killed"},
		"it ends soon after it": {roleServe, 50 * time.Millisecond, "exit status 0", ""},
	} {
		for what, end := range map[string]func(*Running) error{
			"at the end":  func(running *Running) error { return running.Stop(context.Background()) },
			"for a while": func(running *Running) error { return capability[Restarter](t, running).StandDown(t.Context()) },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				g := NewWithT(t)
				options, _ := launchOptions(t)
				options.StopGrace = tt.grace
				running, err := Launch(t.Context(), mine(tt.role), options)
				g.Expect(err).NotTo(HaveOccurred())
				t.Cleanup(func() { g.Expect(running.Stop(context.Background())).To(Succeed()) })
				g.Expect(end(running)).To(Succeed())
				g.Expect(running.life.(*local).process.ExitStatus()).To(Equal(tt.status))
				last := running.LogTail(1)
				if tt.log == "" {
					g.Expect(last).NotTo(ContainElement(HavePrefix("rollcall: ")))
				} else {
					g.Expect(last).To(Equal([]string{tt.log}))
				}
			})
		}
	}
	options, _ := launchOptions(t)
	g := NewWithT(t)
	g.Expect(mine(roleServe).processOptions("", ports{}, options).StopGrace).To(Equal(30 * time.Second))
}
