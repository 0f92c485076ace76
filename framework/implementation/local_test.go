package implementation

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestALocalProcessSaysWhatItTakesADeploymentFor(t *testing.T) {
	g := NewWithT(t)
	options, _ := launchOptions(t)
	running, err := Launch(t.Context(), mine(roleServe), options)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(running.Stop(context.Background())).To(Succeed()) })
	g.Expect(running.AwaitReady(t.Context())).To(Succeed())
	for _, act := range []func(context.Context) error{running.Crash, running.DeletePod, running.CutOff, running.Reconnect} {
		g.Expect(act(t.Context())).To(MatchError(errors.ErrUnsupported))
	}
	g.Expect(running.Kill(t.Context())).To(Succeed())
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	g.Expect(running.AwaitReady(ctx)).To(MatchError(SatisfyAll(HavePrefix("waiting for mine: "), ContainSubstring("connection refused"))))
	attached, err := Attach(t.Context(), mine(roleServe), options)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(attached.Kill(t.Context())).To(MatchError(ErrLaunchedByOthers), "another process's process")
}
