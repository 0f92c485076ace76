package implementation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

// capability returns one that must be available.
func capability[C Capability](t *testing.T, running *Running) C {
	t.Helper()
	found, err := Find[C](t.Context(), running)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return found
}

// missing is why a capability is not available.
func missing[C Capability](t *testing.T, running *Running) error {
	t.Helper()
	_, err := Find[C](t.Context(), running)
	return err
}

// launchMine launches this test binary in the role serve.
func launchMine(t *testing.T, change func(*Implementation)) (*Running, LaunchOptions) {
	t.Helper()
	options, _ := launchOptions(t)
	i := mine(roleServe)
	change(i)
	running, err := Launch(t.Context(), i, options)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { NewWithT(t).Expect(running.Stop(context.Background())).To(Succeed()) })
	return running, options
}

func TestALocalProcessSaysWhatItTakesADeploymentFor(t *testing.T) {
	g := NewWithT(t)
	running, options := launchMine(t, func(*Implementation) {})
	g.Expect(running.AwaitReady(t.Context())).To(Succeed())
	for _, err := range []error{missing[Crasher](t, running), missing[PodDeleter](t, running), missing[Network](t, running)} {
		g.Expect(err).To(MatchError(errors.ErrUnsupported))
		g.Expect(err).To(MatchError("mine is a local process, this takes one that is launched by image"))
	}
	attached, err := Attach(t.Context(), mine(roleServe), options)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(missing[Killer](t, attached)).To(MatchError(ErrLaunchedByOthers), "another process's process")
}

func TestALocalProcessIsRestartedOtherwiseUntilTheNextRestart(t *testing.T) {
	g := NewWithT(t)
	running, options := launchMine(t, func(i *Implementation) {
		i.Launch.Process.Args = append(i.Launch.Process.Args, "--level=1")
		i.Launch.Gates = map[string]string{"DaemonSetUpdateSurge": "--gates=DaemonSetUpdateSurge=${ON}"}
	})
	asTheFileSays := `["--kubeconfig=/kubeconfigs/rollcall" "/binaries/etcd" "--level=1"] in ` + options.RunDir
	reconfigurer := capability[Reconfigurer](t, running)
	for _, step := range []struct {
		change Change
		prints string
	}{
		{Change{Gates: map[string]bool{"DaemonSetUpdateSurge": false}}, strings.Replace(asTheFileSays, `]`, ` "--gates=DaemonSetUpdateSurge=false"]`, 1)},
		{Change{Args: []string{"--level=2"}, Env: map[string]string{"GREETING": ", hello"}}, strings.Replace(asTheFileSays, "1", "2", 1) + ", hello"},
	} {
		g.Expect(reconfigurer.RestartWith(t.Context(), step.change)).To(Succeed())
		g.Expect(running.LogTail(5)).To(Equal([]string{step.prints}), "a change does not add to the one before")
	}
	g.Expect(reconfigurer.RestartWith(t.Context(), Change{Args: []string{badFlag}})).
		To(MatchError(SatisfyAll(ContainSubstring("it ended (exit status 1) before it was ready"), ContainSubstring("unknown flag --bad"))))
	g.Expect(running.ExitStatus()).To(BeEmpty(), "the error says it")
	err := reconfigurer.RestartWith(t.Context(), Change{Gates: map[string]bool{"Unheard": true}})
	g.Expect(err).To(MatchError(errors.ErrUnsupported))
	g.Expect(err).To(MatchError("the implementation file does not say how the feature gate Unheard is switched: spec.launch.gates does"))

	g.Expect(capability[Restarter](t, running).Restart(t.Context())).To(Succeed())
	g.Expect(running.LogTail(5)).To(Equal([]string{asTheFileSays}))
	g.Expect(running.Exited()).NotTo(BeClosed(), "nothing ended by itself after it was ready")
}

func TestTheEndOfALocalProcessThatNobodyAskedForIsKnownAtOnceAndNotCoveredUp(t *testing.T) {
	g := NewWithT(t)
	running, options := launchMine(t, func(*Implementation) {})
	killer, restarter, suspender := capability[Killer](t, running), capability[Restarter](t, running), capability[Suspender](t, running)
	g.Expect(killer.Kill(t.Context())).To(Succeed())
	g.Expect(restarter.Restart(t.Context())).To(Succeed())
	g.Expect(restarter.StandDown(t.Context())).To(Succeed())
	g.Expect(running.ExitStatus()).To(BeEmpty())
	g.Expect(restarter.Restart(t.Context())).To(Succeed())
	g.Expect(running.Exited()).NotTo(BeClosed())

	g.Expect(syscall.Kill(running.life.(*local).process.PID(), syscall.SIGINT)).To(Succeed())
	g.Eventually(running.Exited(), "10s").Should(BeClosed())
	g.Expect(running.ExitStatus()).To(Equal("signal: interrupt"))
	for _, refused := range []struct {
		doing string
		act   func(context.Context) error
	}{
		{"killing", killer.Kill}, {"ending", restarter.StandDown}, {"suspending", suspender.Suspend},
		{"restarting", func(ctx context.Context) error {
			return capability[Reconfigurer](t, running).RestartWith(ctx, Change{})
		}},
		{"restarting", restarter.Restart},
	} {
		g.Expect(running.ExitStatus()).To(Equal("signal: interrupt"))
		g.Expect(refused.act(t.Context())).To(MatchError(SatisfyAll(
			HavePrefix(refused.doing+" mine: it ended by itself before: signal: interrupt\n  the last lines"), HaveSuffix(options.RunDir),
		)))
	}
	g.Expect(running.AwaitReady(t.Context())).To(Succeed(), "Restart brings it back all the same")
	g.Expect(running.ExitStatus()).To(BeEmpty())

	g.Expect(running.Exited()).NotTo(BeClosed(), "that was the end before")
	g.Expect(syscall.Kill(running.life.(*local).process.PID(), syscall.SIGINT)).To(Succeed())
	g.Eventually(running.Exited(), "10s").Should(BeClosed())
}

func TestAChangeIsWrittenIntoTheCommandLine(t *testing.T) {
	command := []string{"controller", "--port=1", "--level=1"}
	args := []string{"--verbose", "--level=2", "--list=a", "--level=3", "--level-max=9"}
	for name, tt := range map[string]struct {
		change, gates   []string
		changed, appear string
	}{
		"nothing":                   {changed: strings.Join(command, " "), appear: strings.Join(args, " ")},
		"another value":             {change: []string{"--port=2"}, changed: "controller --port=2 --level=1", appear: strings.Join(args, " ")},
		"a flag that is repeated":   {change: []string{"--level=4"}, changed: "controller --port=1 --level=4", appear: "--verbose --level=4 --list=a --level-max=9"},
		"a new flag":                {change: []string{"--new=1"}, changed: strings.Join(command, " "), appear: strings.Join(append(args, "--new=1"), " ")},
		"a flag without value":      {change: []string{"--verbose"}, changed: strings.Join(command, " "), appear: strings.Join(append(args, "--verbose"), " ")},
		"gates beside others there": {gates: []string{"--list=b"}, changed: strings.Join(command, " "), appear: strings.Join(append(args, "--list=b"), " ")},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			before := append(slices.Clone(command), args...)
			gotCommand, gotArgs := Change{Args: tt.change}.rewrite(command, args, tt.gates)
			g.Expect(strings.Join(gotCommand, " ")).To(Equal(tt.changed))
			g.Expect(strings.Join(gotArgs, " ")).To(Equal(tt.appear))
			g.Expect(append(slices.Clone(command), args...)).To(Equal(before), "what the file says stays")
		})
	}
}

func TestAChangeIsSaidInALine(t *testing.T) {
	NewWithT(t).Expect(Change{
		Args: []string{"--a=1"}, Env: map[string]string{"B": "2"}, Gates: map[string]bool{"On": true, "Off": false},
	}.String()).To(Equal("Off=false, On=true, --a=1, B=2"))
}
