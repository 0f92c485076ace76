package process

import (
	"fmt"
	"os"
)

// DieWithParent makes the calling process end with SIGKILL as soon as the process that started it ends, however that happens. A worker
// of the harness calls it first thing in main, with the process ID of its parent as the parent told it; an ID from os.Getppid is right unless the
// parent died before the call. The children of the worker follow it, as long as they were started by this package or wrapped by WrapForDeath.
//
// It fails when the parent is gone already, and the caller should exit.
func DieWithParent(parent int) error {
	if err := requestDeath(parent); err != nil {
		return fmt.Errorf("tying this process to its parent %d: %w", parent, err)
	}
	// Asked after the request took effect, so that a parent that died in between does not go unnoticed.
	if now := os.Getppid(); now != parent {
		return fmt.Errorf("tying this process to its parent %d: it has ended, the parent is now %d", parent, now)
	}
	return nil
}
