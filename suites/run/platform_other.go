//go:build !linux

package run

import (
	"errors"
	"syscall"
)

// Elsewhere than on Linux nothing is run: see subcommand.refusedOn. What follows is for the compiler.

func writable(string) error { return errors.ErrUnsupported }

func freeDisk(string) (int64, error) { return 0, errors.ErrUnsupported }

func memorySize() (int64, error) { return 0, errors.ErrUnsupported }

func clockKept() (bool, error) { return false, errors.ErrUnsupported }

func ownGroup() *syscall.SysProcAttr { return nil }

func interruptGroup(int) error { return errors.ErrUnsupported }
