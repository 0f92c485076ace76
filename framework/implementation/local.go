package implementation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// portAttempts is how many ports a launch tries: one found free may be taken before the implementation listens on it.
const portAttempts = 3

// local is an implementation that is a process on this machine.
type local struct {
	*process.Process
	// ready asks once; nil if running is all that is asked for.
	ready func(context.Context) error
	// patience bounds AwaitReady.
	patience time.Duration
}

var _ Control = local{}

func launchLocally(ctx context.Context, i *Implementation, options LaunchOptions) (Control, error) {
	spec := i.Launch.Process
	if len(spec.Manifests) > 0 {
		admin, err := administrator(options.Cluster.Config())
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
			return started, nil
		}
		if attempt == portAttempts || !strings.Contains(err.Error(), "address already in use") {
			return nil, fmt.Errorf("launching the implementation: %w", err)
		}
	}
}

func (i *Implementation) start(ctx context.Context, kubeconfig string, options LaunchOptions) (Control, error) {
	spec := i.Launch.Process
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	values := map[string]string{
		"KUBECONFIG": kubeconfig, "PORT": strconv.Itoa(port), "RUN_DIR": options.RunDir, "BIN_DIR": options.BinDir,
	}
	settings := process.Options{
		Name: i.Name, Path: options.Artifact.Executable, Dir: options.RunDir, LogPath: options.LogPath, ReadyTimeout: spec.ReadyTimeout,
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
	started, err := process.Start(ctx, settings)
	if err != nil {
		return nil, err
	}
	return local{Process: started, ready: settings.Ready, patience: cmp.Or(spec.ReadyTimeout, process.DefaultReadyTimeout)}, nil
}

// AwaitReady implements Control.
func (l local) AwaitReady(ctx context.Context) error {
	if l.ready == nil {
		return nil
	}
	notReady := errors.New("readiness was never answered")
	err := wait.PollUntilContextTimeout(ctx, process.ReadyInterval, l.patience, true, func(ctx context.Context) (bool, error) {
		err := l.ready(ctx)
		// What was cut short by the deadline says nothing.
		if err != nil && ctx.Err() == nil {
			notReady = err
		}
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s: %w: %w%s", l.Name(), err, notReady, lastWords(l.LogTail(linesOfLog)))
	}
	return nil
}

// StandDown implements Control.
func (l local) StandDown(ctx context.Context) error { return l.Stop(ctx) }

// Kill implements Control.
func (l local) Kill(context.Context) error { return l.Process.Kill() }

// Suspend implements Control.
func (l local) Suspend(context.Context) error { return l.Process.Suspend() }

// Resume implements Control.
func (l local) Resume(context.Context) error { return l.Process.Resume() }

// Crash implements Control.
func (l local) Crash(context.Context) error { return l.takesDeployment("crashing") }

// DeletePod implements Control.
func (l local) DeletePod(context.Context) error { return l.takesDeployment("deleting the pods of") }

// CutOff implements Control.
func (l local) CutOff(context.Context) error { return l.takesDeployment("cutting off") }

// Reconnect implements Control.
func (l local) Reconnect(context.Context) error { return l.takesDeployment("reconnecting") }

func (l local) takesDeployment(doing string) error {
	return fmt.Errorf("%s %s: it is a local process, this takes one that is launched by image: %w", doing, l.Name(), errors.ErrUnsupported)
}
