//go:build linux

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// patience bounds every wait of these tests: far beyond what a loaded machine needs, so that it only ends a test that is broken.
const patience = 20 * time.Second

// program describes this test binary in a role, with a folder for what it announces and prints.
func program(t *testing.T, role string) (options Options, dir string) {
	t.Helper()
	dir = t.TempDir()
	return Options{
		Name: "test program", Path: os.Args[0], LogPath: filepath.Join(dir, "logs", "program.log"),
		Env:   []string{roleVariable + "=" + role, "TEST_DIR=" + dir, "GREETING=hello"},
		Ready: func(context.Context) error { _, err := os.Stat(filepath.Join(dir, announcement(role))); return err },
	}, dir
}

func announcement(role string) string { return strings.ReplaceAll(role, " ", "-") + ".pid" }

func start(t *testing.T, options Options) *Process {
	t.Helper()
	g := NewWithT(t)
	p, err := Start(t.Context(), options)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(p.Kill()).To(Succeed()) })
	return p
}

func TestAProgramIsStartedWhenItIsReadyAndItsOutputIsKept(t *testing.T) {
	g := NewWithT(t)
	options, dir := program(t, roleWait)
	p := start(t, options)

	g.Expect(filepath.Join(dir, announcement(roleWait))).To(BeARegularFile())
	g.Expect(p.LogTail(1)).To(Equal([]string{"greeting: hello"}))
	g.Expect(p.Exited()).NotTo(BeClosed())
	g.Expect(p.ExitStatus()).To(BeEmpty())
}

func TestStopLetsAProgramEndByItself(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleWait)
	p := start(t, options)

	g.Expect(p.Stop(t.Context())).To(Succeed())
	g.Expect(p.Exited()).To(BeClosed())
	g.Expect(p.ExitStatus()).To(Equal("exit status 0"))
	g.Expect(p.Stop(t.Context())).To(Succeed(), "stopping twice")
}

func TestStopReachesASuspendedProgram(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleWait)
	p := start(t, options)

	g.Expect(p.Suspend()).To(Succeed())
	g.Eventually(func() (string, error) { return processState(p.PID()) }).WithTimeout(patience).Should(Equal("T"))
	g.Expect(p.Stop(t.Context())).To(Succeed())
	g.Expect(p.ExitStatus()).To(Equal("exit status 0"))
}

func TestASuspendedProgramResumes(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleWait)
	p := start(t, options)

	g.Expect(p.Suspend()).To(Succeed())
	g.Eventually(func() (string, error) { return processState(p.PID()) }).WithTimeout(patience).Should(Equal("T"))
	g.Expect(p.Resume()).To(Succeed())
	g.Eventually(func() (string, error) { return processState(p.PID()) }).WithTimeout(patience).ShouldNot(Equal("T"))
}

func TestStopKillsAProgramThatDoesNotEndInTime(t *testing.T) {
	for name, tt := range map[string]struct {
		grace   time.Duration
		context func(t *testing.T) context.Context
		says    string
	}{
		"when its grace is over": {grace: 50 * time.Millisecond, context: (*testing.T).Context, says: "still running 50ms after SIGTERM, killed"},
		"when the caller has no more time": {grace: time.Hour, says: "killed before it had ended: the caller is in a hurry", context: func(t *testing.T) context.Context {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errors.New("the caller is in a hurry"))
			return ctx
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			options, _ := program(t, roleIgnoreTERM)
			options.StopGrace = tt.grace
			p := start(t, options)

			err := p.stop(tt.context(t))
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			_, isForced := errors.AsType[Forced](err)
			g.Expect(isForced).To(BeTrue())
			g.Expect(p.Exited()).To(BeClosed())
			g.Expect(p.ExitStatus()).To(Equal("signal: killed"))
		})
	}
}

func TestKillTakesEvenASuspendedProgramAndRestartBringsItBack(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleWait)
	p := start(t, options)
	first, firstExit := p.PID(), p.Exited()

	g.Expect(p.Suspend()).To(Succeed())
	g.Expect(p.Kill()).To(Succeed())
	g.Expect(p.ExitStatus()).To(Equal("signal: killed"))

	g.Expect(p.Restart(t.Context(), options.Args, append(options.Env, "GREETING=again"))).To(Succeed())
	g.Expect(firstExit).To(BeClosed())
	g.Expect(p.Exited()).NotTo(BeClosed())
	g.Expect(p.PID()).NotTo(Equal(first))
	g.Eventually(func() []string { return p.LogTail(10) }).WithTimeout(patience).
		Should(Equal([]string{"greeting: again"}), "only what it printed since the restart, in its environment")
	log, err := os.ReadFile(options.LogPath)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(log)).To(Equal("greeting: hello\ngreeting: again\n"), "the file keeps both runs")
}

func TestTheEndOfAProgramIsReportedOnlyIfNobodyAskedForIt(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleWait)
	reported := make(chan struct{}, 10)
	options.OnExit = func() { reported <- struct{}{} }
	p := start(t, options)
	g.Expect(p.AwaitReady(t.Context())).To(Succeed())

	g.Expect(p.Kill()).To(Succeed())
	g.Expect(p.ExitedByItself()).To(BeEmpty(), "it was killed")
	g.Expect(p.AwaitReady(t.Context())).To(MatchError(HavePrefix("waiting for test program: it ended (signal: killed) before it was ready\n  the last lines")))
	g.Expect(p.Restart(t.Context(), nil, options.Env)).To(Succeed())
	g.Expect(p.Stop(t.Context())).To(Succeed())
	g.Expect(p.Restart(t.Context(), nil, options.Env)).To(Succeed())
	g.Expect(p.ExitedByItself()).To(BeEmpty(), "it runs")

	g.Expect(syscall.Kill(p.PID(), syscall.SIGINT)).To(Succeed())
	g.Eventually(reported).WithTimeout(patience).Should(Receive())
	g.Expect(p.ExitedByItself()).To(Equal("signal: interrupt"))
	g.Expect(reported).To(BeEmpty(), "the ends before were asked for")
}

func TestAProgramThatEndsBeforeItIsReadyIsAnErrorWithItsLastWords(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleFail)
	_, err := Start(t.Context(), options)

	g.Expect(err).To(MatchError(SatisfyAll(
		HavePrefix("starting test program: it ended (exit status 3) before it was ready"),
		ContainSubstring(options.LogPath), ContainSubstring("line 11\n"), HaveSuffix("line 30"),
		Not(ContainSubstring("line 10\n")),
	)))
}

func TestAProgramThatDoesNotBecomeReadyIsKilledAndTheErrorSaysWhatWasMissing(t *testing.T) {
	for name, tt := range map[string]struct {
		timeout time.Duration
		// givesUp: the caller does, once the program runs.
		givesUp bool
		says    string
	}{
		"in the time it has":         {timeout: 3 * time.Second, says: "not ready after 3s: no answer yet"},
		"before the caller gives up": {timeout: time.Hour, givesUp: true, says: "gave up waiting for readiness: interrupted; last answer: no answer yet"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			options, dir := program(t, roleWait)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			options.ReadyTimeout = tt.timeout
			options.Ready = func(context.Context) error {
				if pid, err := os.ReadFile(filepath.Join(dir, announcement(roleWait))); tt.givesUp && err == nil && len(pid) > 0 {
					cancel(errors.New("interrupted"))
				}
				return errors.New("no answer yet")
			}

			_, err := Start(ctx, options)
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			g.Expect(processState(announcedPID(t, dir, roleWait))).To(Equal("gone"))
		})
	}
}

func TestWhatAProgramLeavesInItsProcessGroupGoesWithIt(t *testing.T) {
	g := NewWithT(t)
	options, dir := program(t, roleFamily)
	options.Ready = nil
	p := start(t, options)

	g.Eventually(p.Exited()).WithTimeout(patience).Should(BeClosed())
	child := announcedPID(t, dir, "child")
	g.Eventually(func() (string, error) { return processState(child) }).WithTimeout(patience).Should(Equal("gone"))
}

func TestWhatCannotBeStartedSaysWhy(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		says   string
	}{
		"no executable named":       {func(o *Options) { o.Path = "" }, "no executable given"},
		"an executable not there":   {func(o *Options) { o.Path = "/no/such/program" }, "starting test program: fork/exec /no/such/program: no such file"},
		"a name not in PATH":        {func(o *Options) { o.Path = "rollcall-no-such-program" }, "executable file not found"},
		"no log file named":         {func(o *Options) { o.LogPath = "" }, "starting test program: no log file given"},
		"a log file that cannot be": {func(o *Options) { o.LogPath = "/dev/null/log" }, "creating the log folder"},
	} {
		t.Run(name, func(t *testing.T) {
			options, _ := program(t, roleWait)
			tt.change(&options)
			_, err := Start(t.Context(), options)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}

func TestKillCutsAStopShort(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleIgnoreTERM)
	options.StopGrace = time.Hour
	p := start(t, options)

	stopped := make(chan error, 1)
	go func() { stopped <- p.Stop(context.Background()) }()
	g.Eventually(p.turn).WithTimeout(patience).Should(HaveLen(1))
	g.Expect(p.Kill()).To(Succeed())
	g.Eventually(stopped).WithTimeout(patience).Should(Receive(BeNil()))
}

func TestTheTailOfALogIsWholeLinesHoweverLargeTheLog(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "log")
	line := strings.Repeat("x", 99)
	g.Expect(os.WriteFile(path, []byte("earlier run\n"+strings.Repeat(line+"\n", 2000)+"last"), 0o600)).To(Succeed())

	g.Expect(tail(path, 12, 2)).To(Equal([]string{line, "last"}))
	all := tail(path, 12, 1<<20)
	g.Expect(all).To(HaveEach(Or(Equal(line), Equal("last"))), "no line is cut")
	g.Expect(all).To(HaveLen(tailWindow/100 + 1))
	g.Expect(tail(filepath.Join(t.TempDir(), "none"), 0, 5)).To(BeEmpty())
}

// signalledZero reports whether a process can be signalled: it exists, dead and unreaped included.
func signalledZero(pid int) bool { return syscall.Kill(pid, 0) == nil }
