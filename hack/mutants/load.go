package main

import (
	"context"
	"fmt"
	"os/exec"
)

// busyLoop ends by itself soon after the process that started it.
const busyLoop = `while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done`

// busy starts n processes that do nothing but use a processor each. They end with ctx, or with this process.
func busy(ctx context.Context, n int) error {
	for range n {
		command := exec.CommandContext(ctx, "sh", "-c", busyLoop)
		if err := command.Start(); err != nil {
			return fmt.Errorf("start a busy process: %w", err)
		}
		// It ends by being killed.
		go func() { _ = command.Wait() }()
	}
	return nil
}
