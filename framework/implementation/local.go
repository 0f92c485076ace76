package implementation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/process"
	"github.com/rollcall-conformance/rollcall/framework/relay"
)

// local is an implementation that is a process on this machine.
type local struct {
	// replica is the process, of two the one that leads; standby is the other one, nil without an election. started counts those besides the first.
	replica
	standby *replica
	started int
	// gates are LaunchSpec.Gates.
	gates map[string]string

	// tested, kubeconfig and options are what processes are started by.
	tested     *Implementation
	kubeconfig string
	options    LaunchOptions
	// relay is nil without LaunchOptions.Relay.
	relay *relay.Relay

	mu sync.Mutex
	// exited is closed when the process ends by itself.
	exited chan struct{}
}

var (
	_ life         = (*local)(nil)
	_ Restarter    = (*local)(nil)
	_ Reconfigurer = (*local)(nil)
	_ Killer       = (*local)(nil)
	_ Suspender    = (*local)(nil)
	_ Elector      = replicas{}
	_ Metered      = measured{}
	_ Network      = relayed{}
	_ WatchBreaker = relayed{}
	_ Faulter      = relayed{}
)

func launchLocally(ctx context.Context, i *Implementation, options LaunchOptions) (*Running, error) {
	spec := i.Launch.Process
	if len(spec.Manifests) > 0 {
		admin, err := administrator(options.Cluster.Config())
		if err == nil {
			err = apply(ctx, admin, spec.Manifests)
		}
		if err != nil {
			return nil, refused(ctx, fmt.Errorf("preparing the cluster for the implementation %s: %w", i.Name, err))
		}
	}
	if err := spec.unanswered(ctx); err != nil {
		return nil, failure(ctx, fmt.Errorf("launching the implementation %s: %w", i.Name, err))
	}
	kubeconfig, err := options.Cluster.KubeconfigFor(ctx, spec.User.Name, spec.User.Groups...)
	if err == nil {
		err = os.MkdirAll(options.RunDir, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("launching the implementation %s: %w", i.Name, err)
	}
	l := &local{gates: i.Launch.Gates, tested: i, kubeconfig: kubeconfig, options: options, exited: make(chan struct{})}
	capabilities := []Capability{l, replicas{l}, measured{l}}
	if options.Relay {
		if err := l.startRelay(); err != nil {
			return nil, fmt.Errorf("launching the implementation %s: %w", i.Name, err)
		}
		capabilities = append(capabilities, relayed{l})
	}
	metricsPort, err := process.FreePort()
	if err != nil {
		return nil, fmt.Errorf("launching the implementation %s: %w", i.Name, errors.Join(err, l.closeRelay()))
	}
	l.process, err = process.StartOnPort(ctx, func(port int) process.Options {
		on := ports{own: port, metrics: metricsPort}
		started := i.processOptions(l.kubeconfig, on, options)
		started.OnExit = l.ended
		l.args, l.env, l.metricsURL = started.Args, started.Env, i.metricsURL(on.values(l.kubeconfig, options))
		return started
	})
	if err != nil {
		return nil, errors.Join(failure(ctx, fmt.Errorf("launching the implementation: %w", err)), l.closeRelay())
	}
	return &Running{
		life: l, capabilities: capabilities,
		without: unavailablef("%s is a local process, this takes one that is launched by image", i.Name),
	}, nil
}

// unanswered is an error if somebody answers already where the process is to say that it is ready: then nobody could tell when it is. A port of the launch's own
// is free.
func (p *ProcessSpec) unanswered(ctx context.Context) error {
	if p.ReadyURL == "" || variablePattern.MatchString(p.ReadyURL) || process.Answers(p.ReadyURL, p.ReadyText)(ctx) != nil {
		return nil
	}
	return fmt.Errorf("%s answers already, before it runs: end what answers there, or have it listen on ${PORT}", p.ReadyURL)
}

// ports are those of one process: PORT and METRICS_PORT.
type ports struct{ own, metrics int }

// values are what the file's variables stand for.
func (p ports) values(kubeconfig string, options LaunchOptions) map[string]string {
	return map[string]string{
		"KUBECONFIG": kubeconfig, "PORT": strconv.Itoa(p.own), "METRICS_PORT": strconv.Itoa(p.metrics), "RUN_DIR": options.RunDir, "BIN_DIR": options.BinDir,
	}
}

// processOptions are those of the process that the file describes, on these ports.
func (i *Implementation) processOptions(kubeconfig string, on ports, options LaunchOptions) process.Options {
	spec := i.Launch.Process
	values := on.values(kubeconfig, options)
	settings := process.Options{
		Name: i.Name, Path: options.Artifact.Executable, Dir: options.RunDir, LogPath: options.LogPath, ReadyTimeout: spec.ReadyTimeout,
		StopGrace: cmp.Or(options.StopGrace, stopGrace), Waits: true,
	}
	for _, arg := range spec.Args {
		settings.Args = append(settings.Args, expand(arg, values))
	}
	for name, value := range spec.Env {
		settings.Env = append(settings.Env, name+"="+expand(value, values))
	}
	if spec.ReadyURL != "" {
		settings.Ready = process.Answers(expand(spec.ReadyURL, values), spec.ReadyText)
	}
	return settings
}

// Available implements Capability.
func (l *local) Available(context.Context) error { return nil }

// AwaitReady implements life.
func (l *local) AwaitReady(ctx context.Context) error { return l.process.AwaitReady(ctx) }

// Stop implements life.
func (l *local) Stop(ctx context.Context) error {
	return errors.Join(l.dismiss(), l.endProcess(ctx), l.closeRelay())
}

// stopGrace is what Kubernetes gives a pod that says nothing else, from SIGTERM to SIGKILL.
const stopGrace = corev1.DefaultTerminationGracePeriodSeconds * time.Second

// endProcess ends the process. That it had to be killed, as a pod would be, is noted in its log and is no error: it was to go, and it went.
func (l *local) endProcess(ctx context.Context) error {
	err := l.process.Stop(ctx)
	if forced, ok := errors.AsType[process.Forced](err); ok {
		return l.process.Note(forced.Error())
	}
	return err
}

// Exited implements life.
func (l *local) Exited() <-chan struct{} { return l.end() }

func (l *local) end() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.exited
}

// ended notes that a process has ended by itself.
func (l *local) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.exited:
	default:
		close(l.exited)
	}
}

// LogEnd implements life.
func (l *local) LogEnd() int64 { return l.process.LogEnd() }

// LogSince implements life.
func (l *local) LogSince(position int64, n int, text string) []string {
	return l.process.LogSince(position, n, text)
}

// ExitStatus implements life.
func (l *local) ExitStatus() string {
	status := l.process.ExitedByItself()
	if status == "" && l.standby != nil {
		status = l.standby.process.ExitedByItself()
	}
	return status
}

// LogTail implements life.
func (l *local) LogTail(n int) []string { return l.process.LogTail(n) }

// WaitsSince implements life.
func (l *local) WaitsSince(instant time.Time) []process.Wait {
	found := l.process.WaitsSince(instant)
	if l.standby != nil {
		found = append(found, l.standby.process.WaitsSince(instant)...)
	}
	return found
}

// undisturbed is an error if the process ended without being asked to: what is about to be done would cover that up.
func (l *local) undisturbed(doing string) error {
	if status := l.ExitStatus(); status != "" {
		return fmt.Errorf("%s %s: it ended by itself before: %s%s", doing, l.process.Name(), status, lastWords(l.LogTail(linesOfLog)))
	}
	return nil
}

// Restart implements Restarter.
func (l *local) Restart(ctx context.Context) error {
	before := l.undisturbed("restarting")
	if before != nil {
		<-l.Exited()
		l.mu.Lock()
		l.exited = make(chan struct{})
		l.mu.Unlock()
	}
	return errors.Join(before, l.start(ctx, l.args, l.env))
}

// start starts the process anew, alone and in touch with the API server, and returns when it is ready.
func (l *local) start(ctx context.Context, args, env []string) error {
	if l.relay != nil {
		l.relay.Reconnect()
	}
	if err := errors.Join(l.dismiss(), l.process.Restart(ctx, args, env)); err != nil {
		return err
	}
	return l.process.AwaitReady(ctx)
}

// RestartWith implements Reconfigurer.
func (l *local) RestartWith(ctx context.Context, change Change) error {
	gates, err := change.gateArgs(l.gates)
	if err == nil {
		err = l.undisturbed("restarting")
	}
	if err != nil {
		return err
	}
	_, args := change.rewrite(nil, l.args, gates)
	return l.start(ctx, args, change.environ(l.env))
}

// StandDown implements Restarter.
func (l *local) StandDown(ctx context.Context) error {
	if err := errors.Join(l.undisturbed("ending"), l.dismiss()); err != nil {
		return err
	}
	return l.endProcess(ctx)
}

// Kill implements Killer.
func (l *local) Kill(context.Context) error {
	if err := l.undisturbed("killing"); err != nil {
		return err
	}
	return l.process.Kill()
}

// Suspend implements Suspender.
func (l *local) Suspend(context.Context) error {
	if err := l.undisturbed("suspending"); err != nil {
		return err
	}
	return l.process.Suspend()
}

// Resume implements Suspender.
func (l *local) Resume(context.Context) error { return l.process.Resume() }
