package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// processState is the letter the kernel has for what a process does ("T": suspended), or "gone"; a dead one that nobody has reaped is gone too.
func processState(pid int) (string, error) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if errors.Is(err, fs.ErrNotExist) {
		return "gone", nil
	}
	if err != nil {
		// A process can end while its file is being read.
		if !signalledZero(pid) {
			return "gone", nil
		}
		return "", err
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	if state := after[:1]; state != "Z" && state != "X" {
		return state, nil
	}
	return "gone", nil
}

func announcedPID(t *testing.T, dir, role string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, announcement(role)))
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	pid, err := strconv.Atoi(string(text))
	g.Expect(err).NotTo(HaveOccurred())
	return pid
}

func TestNothingOutlivesAHarnessKilledWithSIGKILL(t *testing.T) {
	for name, role := range map[string]string{
		"a child of this package":                           roleParent,
		"a child of a library, wrapped":                     roleWrapParent,
		"a child of a library, wrapped where no setpriv is": roleWatchParent,
		"a worker that ties itself to its parent":           roleWorkerParent,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			if role == roleWrapParent && findSetpriv() == "" {
				t.Skip("no setpriv on this machine")
			}
			options, dir := program(t, role)
			// Ready when the child has announced itself, too: a worker does so after it tied itself.
			grandchild := "wait"
			if role == roleWorkerParent {
				grandchild = "worker"
			}
			options.Ready = func(context.Context) error {
				_, childErr := os.Stat(filepath.Join(dir, "child.pid"))
				_, grandchildErr := os.Stat(filepath.Join(dir, announcement(grandchild)))
				return errors.Join(childErr, grandchildErr)
			}
			harness := start(t, options)
			child := announcedPID(t, dir, "child")
			g.Expect(announcedPID(t, dir, grandchild)).To(Equal(child), "the wrapper must run the program in its own place")
			state, err := processState(child)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(state).NotTo(Equal("gone"))

			// Only the harness: a signal to its group might reach the child as well.
			self, err := os.FindProcess(harness.PID())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(self.Kill()).To(Succeed())

			g.Eventually(func() (string, error) { return processState(child) }).WithTimeout(patience).Should(Equal("gone"))
		})
	}
}

func TestAChildOutlivesTheThreadOfWhoeverAskedForIt(t *testing.T) {
	g := NewWithT(t)
	options, _ := program(t, roleWait)
	var p *Process
	var err error
	onAThreadThatEnds(func() { p, err = Start(t.Context(), options) })
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(p.Kill()).To(Succeed()) })
	g.Consistently(p.ExitStatus).WithTimeout(500 * time.Millisecond).Should(BeEmpty())
}

// onAThreadThatEnds calls f on a thread that ends after it, which the kernel takes for the death of the parent of whatever the thread forked.
func onAThreadThatEnds(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread goes with the goroutine
		if syscall.Gettid() == syscall.Getpid() {
			// The first thread of a Go program never ends. Keeping it busy forces another one.
			onAThreadThatEnds(f)
			return
		}
		f()
	}()
	<-done
}

func TestAWorkerWhoseParentIsGoneIsToldSo(t *testing.T) {
	options, _ := program(t, roleOrphan)
	_, err := Start(t.Context(), options)
	NewWithT(t).Expect(err).To(MatchError(SatisfyAll(
		ContainSubstring("exit status 1"), ContainSubstring("it has ended, the parent is now "+strconv.Itoa(os.Getpid())))))
}

func TestAWrapperRefusesToRunForAnotherProcess(t *testing.T) {
	for name, setpriv := range map[string]string{"with setpriv": findSetpriv(), "without setpriv": ""} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			if strings.HasPrefix(name, "with ") && setpriv == "" {
				t.Skip("no setpriv on this machine")
			}
			script, err := writeWrapper(os.Args[0], t.TempDir(), setpriv)
			g.Expect(err).NotTo(HaveOccurred())

			output, err := exec.Command("/bin/sh", "-c", script+"; exit $?").CombinedOutput()
			g.Expect(err).To(MatchError("exit status 1"))
			g.Expect(string(output)).To(ContainSubstring("not started by process " + strconv.Itoa(os.Getpid())))
		})
	}
}

func TestAWrapperPassesArgumentsAndOddPathsOnUnchanged(t *testing.T) {
	g := NewWithT(t)
	odd := filepath.Join(t.TempDir(), "it's a $dir")
	g.Expect(os.Mkdir(odd, 0o755)).To(Succeed())
	echo := filepath.Join(odd, "echo")
	g.Expect(os.WriteFile(echo, []byte("#!/bin/sh\nprintf '<%s>' \"$@\"\n"), 0o755)).To(Succeed())

	script, err := WrapForDeath(echo, filepath.Join(odd, "wrapped"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(filepath.Base(script)).To(Equal("echo"))
	output, err := exec.Command(script, "a b", "$c", "").CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(output))
	g.Expect(string(output)).To(Equal("<a b><$c><>"))
}

func TestWhatCannotBeWrappedSaysWhy(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	NewWithT(t).Expect(os.WriteFile(plain, nil, 0o600)).To(Succeed())
	for name, tt := range map[string]struct{ path, dir, says string }{
		"nothing there":       {"/no/such/program", dir, "no such file"},
		"not executable":      {plain, dir, "is not executable"},
		"a folder":            {dir, t.TempDir(), "is not executable"},
		"over the executable": {os.Args[0], filepath.Dir(os.Args[0]), "would overwrite"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := WrapForDeath(tt.path, tt.dir)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}
