//go:build unix

package process

import "syscall"

// The signals that suspend a program and have it go on.
const (
	suspendSignal = syscall.SIGSTOP
	resumeSignal  = syscall.SIGCONT
)

// signalGroup reaches a program and its whole process group.
func signalGroup(pid int, s syscall.Signal) error { return syscall.Kill(-pid, s) }
