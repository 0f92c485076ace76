//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

// parentInterval is how often a process looks for its parent where no kernel tells it.
const parentInterval = time.Second

// requestDeath watches the parent's ID, which changes when the parent is gone.
func requestDeath(parent int) error {
	go func() {
		for range time.Tick(parentInterval) {
			if os.Getppid() != parent {
				// It cannot be refused to the process itself.
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		}
	}()
	return nil
}
