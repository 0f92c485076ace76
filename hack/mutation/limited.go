package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unlimited is for a process that may take any processor time.
const unlimited = time.Duration(0)

// errTooLong is that a process was ended since it took too much processor time.
var errTooLong = errors.New("took too much processor time")

// limited runs the command to its end and returns what it prints. The kernel ends it once it has taken as much processor time as the limit says, which has whole
// seconds, and one second more. What it says that the process took is less than what it goes by, and on a busy machine much less: so it has ended what was killed
// with half of that.
func limited(command *exec.Cmd, limit time.Duration) ([]byte, error) {
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	var limiting error
	if limit > 0 {
		seconds := uint64((limit + time.Second) / time.Second)
		limiting = unix.Prlimit(command.Process.Pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
	}
	err := command.Wait()
	taken := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	switch {
	case limiting != nil && !errors.Is(limiting, unix.ESRCH):
		return output.Bytes(), fmt.Errorf("limit the processor time: %w", limiting)
	case err != nil && limit > 0 && taken >= limit/2 && killed(command.ProcessState):
		return output.Bytes(), errTooLong
	case err != nil:
		return output.Bytes(), fmt.Errorf("run: %w", err)
	}
	return output.Bytes(), nil
}

// killed reports whether a process was ended by SIGKILL.
func killed(ended *os.ProcessState) bool {
	status, ok := ended.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
