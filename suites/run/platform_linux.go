package run

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// writable is an error if this process cannot write to the folder.
func writable(folder string) error { return unix.Access(folder, unix.W_OK) }

// freeDisk is how many bytes the file system of the folder has left.
func freeDisk(folder string) (int64, error) {
	var there unix.Statfs_t
	if err := unix.Statfs(folder, &there); err != nil {
		return 0, err
	}
	return int64(there.Bavail) * there.Bsize, nil
}

// memorySize is how many bytes of memory the machine has.
func memorySize() (int64, error) {
	var there unix.Sysinfo_t
	if err := unix.Sysinfo(&there); err != nil {
		return 0, err
	}
	return int64(there.Totalram) * int64(there.Unit), nil
}

// clockKept reports whether something keeps the clock right.
func clockKept() (bool, error) {
	state, err := unix.Adjtimex(&unix.Timex{})
	return state != unix.TIME_ERROR, err
}

// ownGroup has a child be in a process group of its own: Ctrl-C reaches this process alone.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup interrupts a child in a group of its own, and what it started.
func interruptGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) }
