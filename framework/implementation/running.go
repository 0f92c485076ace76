package implementation

import (
	"context"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// Running is a launched implementation: what is known of every one, however it was launched. What can be done to it is found by Find.
type Running struct {
	life
	capabilities []Capability
	// without says why whatever is not among the capabilities cannot be done.
	without error
}

// life is the implementation from its launch to its end. Of an implementation that was launched by others nothing is known: it counts as ready and
// alive, printed nothing, and Stop leaves it alone.
type life interface {
	// AwaitReady returns when the implementation works, at once if it does already. It bounds the wait itself; an error shows the last log lines.
	AwaitReady(ctx context.Context) error
	// Stop ends what Launch started, and removes it from the cluster. What was launched by others, or attached to, is left alone.
	Stop(ctx context.Context) error
	// Exited is closed as soon as the implementation has ended without being asked to; in the cluster, as soon as one of its containers has, even if it
	// is started again. It is nil for what was launched by others or attached to. Restarter.Restart makes a new one.
	Exited() <-chan struct{}
	// ExitStatus says how it ended without being asked to. It is empty while all is well, as far as rollcall knows.
	ExitStatus() string
	// LogTail returns up to n of the last lines the implementation printed since it was last started.
	LogTail(n int) []string
	// LogEnd is the position behind what it has printed so far, and LogSince returns up to n of the last lines that it has printed since a position: of
	// those that contain the text, if any do.
	LogEnd() int64
	LogSince(position int64, n int, text string) []string
	// WaitsSince are the stretches, ended after an instant, in which it waited for a processor for half a second or more. None are known of what is not a local
	// process.
	WaitsSince(instant time.Time) []process.Wait
}

// unknown is the life of an implementation that was launched by others.
type unknown struct{}

func (unknown) AwaitReady(context.Context) error { return nil }
func (unknown) Stop(context.Context) error       { return nil }
func (unknown) Exited() <-chan struct{}          { return nil }
func (unknown) ExitStatus() string               { return "" }
func (unknown) LogTail(int) []string             { return nil }
func (unknown) LogEnd() int64                    { return 0 }

func (unknown) LogSince(int64, int, string) []string { return nil }
func (unknown) WaitsSince(time.Time) []process.Wait  { return nil }

// byOthersOnly is an implementation to which nothing can be done.
func byOthersOnly() *Running { return &Running{life: unknown{}, without: ErrLaunchedByOthers} }
