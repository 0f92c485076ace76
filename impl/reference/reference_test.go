package reference

import (
	"context"
	"errors"
	"testing"
	"time"

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
		"no controller":   {[]string{"--controllers=daemonset-controller,disruptions"}, `no controller "disruptions": choose from daemonset-controller, disruption-controller, statefulset-controller`},
		"a lease too short": {[]string{"--leader-elect-lease-duration=900ms", "--leader-elect-renew-deadline=500ms", "--leader-elect-retry-period=100ms"},
			"--leader-elect-lease-duration=900ms"},
		"a lease no longer than the deadline":  {[]string{"--leader-elect-lease-duration=10s"}, "--leader-elect-renew-deadline=10s"},
		"a deadline no longer than the period": {[]string{"--leader-elect-retry-period=9s"}, "--leader-elect-retry-period=9s"},
		"unknown gate":                         {[]string{"--feature-gates=MaxSurge=true"}, "unrecognized feature gate: MaxSurge"},
		"gate in doubt":                        {[]string{"--feature-gates=DaemonSetUpdateSurge=perhaps"}, "DaemonSetUpdateSurge=perhaps"},
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
		electionName: "rollcall-reference", leaseDuration: 15 * time.Second, renewDeadline: 10 * time.Second, retryPeriod: 2 * time.Second, qps: 500, burst: 1000,
		concurrentSyncs: 5, controllers: []string{"daemonset-controller", "disruption-controller", "statefulset-controller"}}))
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
	s, err := parse([]string{"--controllers=daemonset-controller", "--controllers=disruption-controller"})
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
