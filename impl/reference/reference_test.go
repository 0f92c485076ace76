package reference

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMistakesOnTheCommandLineAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"unknown flag":    {[]string{"--maxSurge=1"}, "maxSurge"},
		"argument":        {[]string{"start"}, `unexpected argument "start"`},
		"no requests":     {[]string{"--kube-api-qps=0"}, "--kube-api-qps=0"},
		"no workers":      {[]string{"--concurrent-syncs=0"}, "--concurrent-syncs=0"},
		"negative burst":  {[]string{"--kube-api-burst=-1"}, "--kube-api-burst=-1"},
		"not a number":    {[]string{"--concurrent-syncs=many"}, "concurrent-syncs"},
		"neither yes, no": {[]string{"--leader-elect=perhaps"}, "leader-elect"},
		"no controller":   {[]string{"--controllers=daemonset-controller,disruptions"}, `no controller "disruptions": choose from daemonset-controller, disruption-controller`},
		"unknown gate":    {[]string{"--feature-gates=MaxSurge=true"}, "unrecognized feature gate: MaxSurge"},
		"gate in doubt":   {[]string{"--feature-gates=DaemonSetUpdateSurge=perhaps"}, "DaemonSetUpdateSurge=perhaps"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := run(context.Background(), c.args, Options{})
			g.Expect(err).To(MatchError(ContainSubstring(c.want)))
			var usage *usageError
			g.Expect(errors.As(err, &usage)).To(BeTrue(), "exit code 2")
		})
	}
}

func TestDefaults(t *testing.T) {
	g := NewWithT(t)
	s, err := parse(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s).To(Equal(settings{healthAddress: ":8081", metricsAddress: ":8080", elect: true, electionNamespace: "rollcall-system",
		electionName: "rollcall-reference", qps: 500, burst: 1000, concurrentSyncs: 5, controllers: []string{"daemonset-controller", "disruption-controller"}}))
}

func TestSurgeIsSwitchedByItsGate(t *testing.T) {
	for name, c := range map[string]struct {
		args     []string
		disabled bool
	}{
		"off":                {[]string{"--feature-gates=DaemonSetUpdateSurge=false"}, true},
		"on":                 {[]string{"--feature-gates=DaemonSetUpdateSurge=true"}, false},
		"the last one wins":  {[]string{"--feature-gates=DaemonSetUpdateSurge=true", "--feature-gates=DaemonSetUpdateSurge=false"}, true},
		"off with all betas": {[]string{"--feature-gates=AllBeta=false"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s, err := parse(c.args)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(s.surgeDisabled).To(Equal(c.disabled), "GATE-010")
		})
	}
}

func TestControllersAreChosen(t *testing.T) {
	g := NewWithT(t)
	s, err := parse([]string{"--controllers=disruption-controller"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.controllers).To(Equal([]string{DisruptionController}))
}

func TestALeaderIsReadyOnceElected(t *testing.T) {
	g := NewWithT(t)
	elected := make(chan struct{})
	ready := leading(elected)
	g.Expect(ready(nil)).To(MatchError("another one leads"))
	close(elected)
	g.Expect(ready(nil)).To(Succeed())
}
