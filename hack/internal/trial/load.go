package trial

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
)

// busyLoop ends by itself soon after the process that started it.
const busyLoop = `while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done`

// Busy starts n processes that do nothing but use a processor each, until stop, or until this process ends. stop returns when they have ended.
func Busy(ctx context.Context, n int) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	stop = func() {
		cancel()
		running.Wait()
	}
	for range n {
		command := exec.CommandContext(ctx, "sh", "-c", busyLoop)
		if err := command.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("start a busy process: %w", err)
		}
		// It ends by being killed, which is no error.
		running.Go(func() { _ = command.Wait() })
	}
	return stop, nil
}
