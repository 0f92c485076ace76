package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// unlimited is for a process that may take any processor time.
	unlimited = time.Duration(0)
	// looksApart is how often the processor time of a process is looked at.
	looksApart = 100 * time.Millisecond
)

// errTooLong is that a process was ended since it took too much processor time.
var errTooLong = errors.New("took too much processor time")

// limited runs the command to its end and returns what it prints. It ends one that has taken as much processor time as the limit says. The kernel could do that
// (RLIMIT_CPU), but what it ends looks like what runs out of memory, and on a busy machine trials ended early that had been given enough; why was not measured.
func limited(command *exec.Cmd, limit time.Duration) ([]byte, error) {
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	looks := time.NewTicker(looksApart)
	defer looks.Stop()
	tooLong := false
	for {
		select {
		case err := <-ended:
			switch {
			case tooLong:
				return output.Bytes(), errTooLong
			case err != nil:
				return output.Bytes(), fmt.Errorf("run: %w", err)
			}
			return output.Bytes(), nil
		case <-looks.C:
			if limit == unlimited || processorTime(command.Process.Pid) < limit {
				continue
			}
			// What has ended by itself meanwhile has not taken too long.
			tooLong = tooLong || command.Process.Kill() == nil
		}
	}
}

// processorTime is what a process has taken so far, all its threads together; 0 if it has ended.
func processorTime(pid int) time.Duration {
	// The kernel's number for the clock of a process, as in clock_getcpuclockid(3): what the scheduler gave it.
	const scheduled = 2
	var taken unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &taken); err != nil {
		return 0
	}
	return time.Duration(taken.Nano())
}
