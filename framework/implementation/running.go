package implementation

import (
	"context"
	"errors"
	"fmt"
)

// ErrLaunchedByOthers is wrapped by what is asked of an implementation that rollcall did not start: it can be neither restarted nor killed.
var ErrLaunchedByOthers = errors.New("the implementation was not launched by rollcall")

// Running is a launched implementation. How it was launched decides what can be done to it: errors wrap ErrLaunchedByOthers if nothing can, and
// errors.ErrUnsupported for what takes a Deployment on nodes with machines and is asked of a local process.
type Running struct{ Control }

// LaunchedByRollcall tells whether the implementation can be restarted and killed.
func (r *Running) LaunchedByRollcall() bool {
	_, others := r.Control.(others)
	return !others
}

// Control is what can be done to a running implementation.
type Control interface {
	// AwaitReady returns when the implementation works, at once if it does already. It bounds the wait itself; an error shows the last log lines.
	AwaitReady(ctx context.Context) error
	// Restart ends the implementation if it still runs, starts it again and returns when it is ready. Nothing of Kill, Suspend and CutOff is left.
	Restart(ctx context.Context) error
	// StandDown ends the implementation in its own way, and leaves it installed: Restart brings it back.
	StandDown(ctx context.Context) error
	// Kill ends the implementation with SIGKILL, for good: Restart brings it back.
	Kill(ctx context.Context) error
	// Crash kills the processes in the implementation's containers and returns when the kubelet has noticed, which starts them again:
	// AwaitReady.
	Crash(ctx context.Context) error
	// DeletePod deletes the implementation's pods as a user would and returns when they are gone; others replace them: AwaitReady.
	DeletePod(ctx context.Context) error
	// Suspend stops the implementation in its tracks, as a stalled machine would; Resume lets it go on. One that lost its leadership meanwhile
	// may then end by itself and be started again: AwaitReady.
	Suspend(ctx context.Context) error
	// Resume continues a suspended implementation.
	Resume(ctx context.Context) error
	// CutOff drops all that the implementation and the API server send each other, on connections old and new; Reconnect ends that. What was said
	// under Suspend goes for it too. Pods that come later are not cut off.
	CutOff(ctx context.Context) error
	// Reconnect ends CutOff.
	Reconnect(ctx context.Context) error
	// Stop ends what Launch started, and removes it from the cluster. What was launched by others, or attached to, is left alone.
	Stop(ctx context.Context) error
	// Exited is closed when a local process, as last started, has ended; it is nil for all else.
	Exited() <-chan struct{}
	// ExitStatus says how a local process, as last started, ended; or how containers in the cluster ended without being asked to, even if they were
	// started again. It is empty while all is well, as far as rollcall knows.
	ExitStatus() string
	// LogTail returns up to n of the last lines the implementation printed since it was last started.
	LogTail(n int) []string
}

// others is an implementation launched by others, whose name it is.
type others string

var _ Control = others("")

func (o others) AwaitReady(context.Context) error { return o.notOurs("waiting for") }
func (o others) Restart(context.Context) error    { return o.notOurs("restarting") }
func (o others) StandDown(context.Context) error  { return o.notOurs("ending") }
func (o others) Kill(context.Context) error       { return o.notOurs("killing") }
func (o others) Crash(context.Context) error      { return o.notOurs("crashing") }
func (o others) DeletePod(context.Context) error  { return o.notOurs("deleting the pods of") }
func (o others) Suspend(context.Context) error    { return o.notOurs("suspending") }
func (o others) Resume(context.Context) error     { return o.notOurs("resuming") }
func (o others) CutOff(context.Context) error     { return o.notOurs("cutting off") }
func (o others) Reconnect(context.Context) error  { return o.notOurs("reconnecting") }
func (o others) Stop(context.Context) error       { return nil }
func (o others) Exited() <-chan struct{}          { return nil }
func (o others) ExitStatus() string               { return "" }
func (o others) LogTail(int) []string             { return nil }

func (o others) notOurs(doing string) error {
	return fmt.Errorf("%s %s: %w", doing, string(o), ErrLaunchedByOthers)
}
