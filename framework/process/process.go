// Package process runs the programs that the harness needs beside it: control-plane components and the
// implementation under test. It starts, stops, kills, restarts and suspends them, keeps what they print, and
// sees to it that none outlives the harness, however the harness ends.
//
// It knows nothing about Kubernetes, nor about what readiness means for a program: the caller says. For a program that serves its readiness over HTTP
// there is Answers.
package process

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// DefaultReadyTimeout is how long a program may take to become ready when Options leaves it open.
	DefaultReadyTimeout = 60 * time.Second
	// DefaultStopGrace is how long a program may take to end after SIGTERM when Options leaves it open.
	DefaultStopGrace = 10 * time.Second
	// ReadyInterval is the pause between two calls of Options.Ready.
	ReadyInterval = 50 * time.Millisecond

	// tailInErrors is how many of a program's last lines an error about it shows.
	tailInErrors = 20
)

// Options says what to run and when it counts as started.
type Options struct {
	// Name is what errors and the user's terminal call the program. Default: the base name of Path.
	Name string
	// Path is the executable; a bare name is looked up in PATH.
	Path string
	// Args are the arguments, without the program's own name.
	Args []string
	// Env is added to the environment of the harness, as "KEY=value"; it wins over what is there.
	Env []string
	// Dir is the working directory. Default: that of the harness.
	Dir string
	// LogPath is the file to which stdout and stderr are appended, created with its folder if missing. Required:
	// a program whose last words are lost cannot be diagnosed.
	LogPath string
	// Ready is asked every ReadyInterval until it returns nil; its last error explains a time-out. Each call's context ends
	// with ReadyTimeout, or at once when the program exits. Default: the program counts as ready as soon as it runs.
	Ready func(ctx context.Context) error
	// Unready: Start and Restart do not wait for Ready. AwaitReady does.
	Unready bool
	// ReadyTimeout bounds the wait for Ready. Default: DefaultReadyTimeout.
	ReadyTimeout time.Duration
	// StopGrace is how long Stop waits between SIGTERM and SIGKILL. Default: DefaultStopGrace.
	StopGrace time.Duration
	// Waits has WaitsSince know how long the program waits for a processor.
	Waits bool
	// OnExit is called, on a goroutine of its own, when the program has ended after it was ready although nobody stopped, killed or restarted it.
	// Default: nobody is told.
	OnExit func()
}

// Process is one program, over all its restarts. Its methods may be called from several goroutines.
type Process struct {
	options Options

	// turn holds one token: Stop and Restart take turns, so that neither undoes half of what the other does. A channel
	// rather than a mutex, because waiting for it must end with the caller's context.
	turn  chan struct{}
	waits waits

	mu      sync.Mutex
	current *incarnation
}

// Start runs the program and returns once it is ready. The context bounds the start only: the program runs until it is
// stopped, killed, or the harness ends. A program that exits or is not ready in time is an error, with its last log lines, and
// leaves nothing running.
func Start(ctx context.Context, options Options) (*Process, error) {
	if options.Path == "" {
		return nil, errors.New("starting a process: no executable given")
	}
	if options.Name == "" {
		options.Name = filepath.Base(options.Path)
	}
	if options.LogPath == "" {
		return nil, fmt.Errorf("starting %s: no log file given", options.Name)
	}
	if options.ReadyTimeout <= 0 {
		options.ReadyTimeout = DefaultReadyTimeout
	}
	if options.StopGrace <= 0 {
		options.StopGrace = DefaultStopGrace
	}
	p := &Process{options: options, turn: make(chan struct{}, 1)}
	if err := p.launch(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// Name is what the program is called in messages.
func (p *Process) Name() string { return p.options.Name }

// PID is the process ID of the latest start; the program may have exited since.
func (p *Process) PID() int { return p.latest().cmd.Process.Pid }

// Exited is closed once the program, as last started, has exited and been reaped. A Restart has a new channel.
func (p *Process) Exited() <-chan struct{} { return p.latest().exited }

// ExitStatus says how the program, as last started, ended ("exit status 1", "signal: killed"); it is empty while it runs.
func (p *Process) ExitStatus() string {
	run := p.latest()
	select {
	case <-run.exited:
		return run.status
	default:
		return ""
	}
}

// LogTail returns up to n of the last lines the program has printed since it was last started.
func (p *Process) LogTail(n int) []string {
	return tail(p.options.LogPath, p.latest().logStart, n)
}

// ExitedByItself says how the program, as last started, ended; it is empty while it runs, and if it was stopped, killed or restarted.
func (p *Process) ExitedByItself() string {
	if p.latest().asked.Load() {
		return ""
	}
	return p.ExitStatus()
}

// Stop asks the program to end with SIGTERM, kills it after StopGrace or when the context ends, and returns once it is gone.
// Stopping what has exited already does nothing. That force was needed is an error of type Forced.
func (p *Process) Stop(ctx context.Context) error {
	release, err := p.takeTurn(ctx)
	if err != nil {
		// Whoever has the turn must not keep the program alive past our caller's patience.
		return errors.Join(err, p.Kill())
	}
	defer release()
	return p.stop(ctx)
}

func (p *Process) stop(ctx context.Context) error {
	run := p.latest()
	run.asked.Store(true)
	if err := run.signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stopping %s: %w", p.options.Name, err)
	}
	// A suspended program would not see SIGTERM before it runs again.
	if err := run.signal(resumeSignal); err != nil {
		return fmt.Errorf("stopping %s: %w", p.options.Name, err)
	}
	grace := time.NewTimer(p.options.StopGrace)
	defer grace.Stop()
	var forced Forced
	select {
	case <-run.exited:
		return nil
	case <-grace.C:
		forced.error = fmt.Errorf("stopping %s: still running %s after SIGTERM, killed", p.options.Name, p.options.StopGrace)
	case <-ctx.Done():
		forced.error = fmt.Errorf("stopping %s: killed before it had ended: %w", p.options.Name, context.Cause(ctx))
	}
	if err := p.Kill(); err != nil {
		return errors.Join(forced.error, err)
	}
	return forced
}

// Forced is the error of a Stop that had to kill the program, which is gone.
type Forced struct{ error }

// Unwrap returns why.
func (f Forced) Unwrap() error { return f.error }

// Kill ends the program with SIGKILL, together with what it started in its process group, and returns once it is reaped. It needs
// no context: nothing can delay SIGKILL but the kernel.
func (p *Process) Kill() error {
	run := p.latest()
	run.asked.Store(true)
	if err := run.signal(syscall.SIGKILL); err != nil {
		return fmt.Errorf("killing %s: %w", p.options.Name, err)
	}
	<-run.exited
	return nil
}

// Suspend stops the program in its tracks (SIGSTOP), as a stalled machine would; Resume lets it go on.
func (p *Process) Suspend() error {
	if err := p.latest().signal(suspendSignal); err != nil {
		return fmt.Errorf("suspending %s: %w", p.options.Name, err)
	}
	return nil
}

// Resume continues a suspended program.
func (p *Process) Resume() error {
	if err := p.latest().signal(resumeSignal); err != nil {
		return fmt.Errorf("resuming %s: %w", p.options.Name, err)
	}
	return nil
}

// Restart stops the program if it still runs, starts it again with these arguments and this environment in the place of those in Options, and returns
// once it is ready. After Kill it is the way to bring the program back. Having to use force is no error here: the program was to go, and it went.
func (p *Process) Restart(ctx context.Context, args, env []string) error {
	release, err := p.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	run := p.latest()
	if err := p.stop(ctx); err != nil {
		select {
		case <-run.exited:
		default:
			return err
		}
	}
	p.options.Args, p.options.Env = args, env
	return p.launch(ctx)
}

func (p *Process) takeTurn(ctx context.Context) (release func(), err error) {
	select {
	case p.turn <- struct{}{}:
		return func() { <-p.turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for another stop or restart of %s: %w", p.options.Name, context.Cause(ctx))
	}
}

func (p *Process) latest() *incarnation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}

// launch starts a new incarnation and waits until it is ready; on an error nothing of it is left running.
func (p *Process) launch(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("starting %s: %w", p.options.Name, context.Cause(ctx))
	}
	run, err := begin(p.options)
	if err != nil {
		return fmt.Errorf("starting %s: %w", p.options.Name, err)
	}
	p.mu.Lock()
	p.current = run
	p.mu.Unlock()
	if p.options.Waits {
		go p.waits.follow(run)
	}

	if !p.options.Unready {
		if err := p.awaitReady(ctx, run); err != nil {
			return errors.Join(fmt.Errorf("starting %s: %w", p.options.Name, err), p.Kill())
		}
	}
	if p.options.OnExit != nil {
		go func() {
			<-run.exited
			if !run.asked.Load() {
				p.options.OnExit()
			}
		}()
	}
	return nil
}
