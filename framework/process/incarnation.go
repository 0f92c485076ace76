package process

import (
	"errors"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
)

// incarnation is one run of a program, from fork to reaping.
type incarnation struct {
	cmd      *exec.Cmd
	logStart int64
	exited   chan struct{}
	// status is written before exited is closed, and only read after.
	status string
	// asked: somebody stopped or killed it.
	asked atomic.Bool
}

// begin forks the program and returns as soon as it runs.
//
// Fork and reaping happen on one goroutine that keeps its thread for itself in between. The kernel ties "die with your parent" to
// the thread that forked, not to its process (golang/go#27505): were that thread to end while the harness lives on, as a thread does when some
// library's locked goroutine returns, the program would be killed for no reason. Reaping blocks a thread anyway, so this costs none.
func begin(options Options) (*incarnation, error) {
	log, logStart, err := openLog(options.LogPath)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(options.Path, options.Args...)
	cmd.Dir = options.Dir
	cmd.Env = append(cmd.Environ(), options.Env...)
	// A file, not a pipe: the program's output needs no goroutine of ours, and survives us.
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttributes()
	run := &incarnation{cmd: cmd, logStart: logStart, exited: make(chan struct{})}

	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		// Giving the thread back matters as much as locking it: returning while locked would end the thread, and with it what other
		// goroutines had forked from it before.
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		_ = log.Close() // the child has its own copy
		started <- err
		if err != nil {
			return
		}
		sweepGroup(cmd.Process.Pid)
		_ = cmd.Wait() // what it says is in ProcessState
		run.status = cmd.ProcessState.String()
		close(run.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return run, nil
}

func (r *incarnation) gone() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// signal reaches the program and its whole process group; a program that is gone already is no error.
func (r *incarnation) signal(s syscall.Signal) error {
	if r.gone() {
		return nil
	}
	err := signalGroup(r.cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
