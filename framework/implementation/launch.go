package implementation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// portAttempts is how many ports a launch tries: one found free may be taken before the implementation listens on it.
const portAttempts = 3

// ErrLaunchedByOthers is wrapped by what is asked of an implementation that rollcall did not start: it can be neither restarted nor killed.
var ErrLaunchedByOthers = errors.New("the implementation was not launched by rollcall")

// Cluster is what a launch needs of the cluster; cluster.Cluster is one.
type Cluster interface {
	// Config is an administrator's, with which manifests are applied.
	Config() *rest.Config
	// KubeconfigFor writes a kubeconfig file for a user and returns its path.
	KubeconfigFor(ctx context.Context, user string, groups ...string) (string, error)
}

// LaunchOptions says where an implementation is launched.
type LaunchOptions struct {
	Cluster Cluster
	// Executable is what BuildExecutable returned.
	Executable string
	// RunDir is ${RUN_DIR}, created if missing, and the process's working directory.
	RunDir string
	// BinDir is ${BIN_DIR}: the folder of the control-plane programs.
	BinDir string
	// LogPath receives what the process prints, over all its restarts.
	LogPath string
}

// Running is a launched implementation.
type Running struct {
	name    string
	process *process.Process
}

// Launch applies the manifests of the implementation, starts it, and returns when it is ready. The context bounds the launch only. An implementation
// that does not become ready is an error with its last log lines, and leaves no process; the manifests stay with the cluster.
//
// For an implementation that is launched by others there is nothing to do.
func Launch(ctx context.Context, i *Implementation, options LaunchOptions) (*Running, error) {
	spec := i.Launch.Process
	if spec == nil {
		return &Running{name: i.Name}, nil
	}
	if len(spec.Manifests) > 0 {
		admin, err := client.New(options.Cluster.Config(), client.Options{})
		if err == nil {
			err = apply(ctx, admin, spec.Manifests)
		}
		if err != nil {
			return nil, fmt.Errorf("preparing the cluster for the implementation %s: %w", i.Name, err)
		}
	}
	kubeconfig, err := options.Cluster.KubeconfigFor(ctx, spec.User.Name, spec.User.Groups...)
	if err != nil {
		return nil, fmt.Errorf("launching the implementation %s: %w", i.Name, err)
	}
	if err := os.MkdirAll(options.RunDir, 0o755); err != nil {
		return nil, fmt.Errorf("launching the implementation %s: %w", i.Name, err)
	}
	for attempt := 1; ; attempt++ {
		started, err := i.start(ctx, kubeconfig, options)
		if err == nil {
			return &Running{name: i.Name, process: started}, nil
		}
		if attempt == portAttempts || !strings.Contains(err.Error(), "address already in use") {
			return nil, fmt.Errorf("launching the implementation: %w", err)
		}
	}
}

func (i *Implementation) start(ctx context.Context, kubeconfig string, options LaunchOptions) (*process.Process, error) {
	spec := i.Launch.Process
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	values := map[string]string{
		"KUBECONFIG": kubeconfig, "PORT": strconv.Itoa(port), "RUN_DIR": options.RunDir, "BIN_DIR": options.BinDir,
	}
	settings := process.Options{
		Name: i.Name, Path: options.Executable, Dir: options.RunDir, LogPath: options.LogPath, ReadyTimeout: spec.ReadyTimeout,
	}
	for _, arg := range spec.Args {
		settings.Args = append(settings.Args, expand(arg, values))
	}
	for name, value := range spec.Env {
		settings.Env = append(settings.Env, name+"="+expand(value, values))
	}
	if spec.ReadyURL != "" {
		settings.Ready = readiness(expand(spec.ReadyURL, values), spec.ReadyText)
	}
	return process.Start(ctx, settings)
}

// LaunchedByRollcall tells whether the implementation can be restarted and killed.
func (r *Running) LaunchedByRollcall() bool { return r.process != nil }

// Restart ends the implementation if it still runs, starts it again and returns when it is ready.
func (r *Running) Restart(ctx context.Context) error {
	if r.process == nil {
		return r.notOurs("restarting")
	}
	return r.process.Restart(ctx)
}

// Kill ends the implementation with SIGKILL; Restart brings it back.
func (r *Running) Kill() error {
	if r.process == nil {
		return r.notOurs("killing")
	}
	return r.process.Kill()
}

// Suspend stops the implementation in its tracks, as a stalled machine would; Resume lets it go on.
func (r *Running) Suspend() error {
	if r.process == nil {
		return r.notOurs("suspending")
	}
	return r.process.Suspend()
}

// Resume continues a suspended implementation.
func (r *Running) Resume() error {
	if r.process == nil {
		return r.notOurs("resuming")
	}
	return r.process.Resume()
}

// Stop ends what Launch started; see process.Process.Stop. What was launched by others is left alone.
func (r *Running) Stop(ctx context.Context) error {
	if r.process == nil {
		return nil
	}
	return r.process.Stop(ctx)
}

// Exited is closed when the implementation, as last started, has ended; for one that was launched by others it never is.
func (r *Running) Exited() <-chan struct{} {
	if r.process == nil {
		return nil
	}
	return r.process.Exited()
}

// ExitStatus says how the implementation, as last started, ended; empty while it runs, as far as rollcall knows.
func (r *Running) ExitStatus() string {
	if r.process == nil {
		return ""
	}
	return r.process.ExitStatus()
}

// LogTail returns up to n of the last lines the implementation printed since it was last started.
func (r *Running) LogTail(n int) []string {
	if r.process == nil {
		return nil
	}
	return r.process.LogTail(n)
}

func (r *Running) notOurs(doing string) error {
	return fmt.Errorf("%s %s: %w", doing, r.name, ErrLaunchedByOthers)
}
