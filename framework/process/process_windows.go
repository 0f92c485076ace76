package process

import (
	"errors"
	"syscall"
)

// Windows has none of what this package does with processes: nothing is run there. It compiles, so that recordings can be judged.

const (
	suspendSignal = syscall.Signal(0x13)
	resumeSignal  = syscall.Signal(0x12)
)

func childAttributes() *syscall.SysProcAttr { return nil }

func sweepGroup(int) {}

func requestDeath(int) error { return errors.ErrUnsupported }

func signalGroup(int, syscall.Signal) error { return errors.ErrUnsupported }
