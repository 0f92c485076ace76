package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// childAttributes puts a child into a process group of its own, so that a Ctrl-C on the terminal reaches the harness alone, which then
// stops its children in order; and has the kernel kill it when the harness is gone, SIGKILL included.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// sweepGroup waits until the leader of a process group has exited and kills what it left behind in the group. The leader is not
// reaped yet, so its ID still means this group and no other.
func sweepGroup(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil {
			// ESRCH is the usual answer: nothing was left.
			_ = unix.Kill(-pid, unix.SIGKILL)
		}
		return
	}
}
