//go:build unix && !linux

package process

import "syscall"

// childAttributes puts a child into a process group of its own. Other kernels than Linux cannot be asked to kill it with its parent:
// there, a harness killed with SIGKILL leaves its children running.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// sweepGroup does nothing: without a portable way to wait and not reap, the group's ID might belong to somebody else by the time it is used.
func sweepGroup(int) {}
