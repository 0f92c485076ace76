package process

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// requestDeath asks the kernel for SIGKILL at the parent's death. The request belongs to the thread that makes it and goes with it, so
// it is made on a thread that is kept for nothing else, for as long as the process lives.
func requestDeath(int) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
		result <- err
		if err == nil {
			select {}
		}
		runtime.UnlockOSThread()
	}()
	return <-result
}
