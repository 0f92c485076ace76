package implementation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// replica is a process of an implementation that runs as two. args and env are what the file says.
type replica struct {
	process   *process.Process
	args, env []string
	// metricsURL is where its metrics are, empty if the file does not say.
	metricsURL string
}

// replicas is a local process beside which another one can be started.
type replicas struct{ *local }

// Available implements Capability.
func (l replicas) Available(context.Context) error {
	if len(l.tested.Launch.Process.ElectionArgs) == 0 {
		return unavailablef("the implementation file does not say how two processes of %s elect a leader: spec.launch.process.electionArgs does", l.tested.Name)
	}
	return nil
}

// election is how a replica differs from what the file says.
func (l *local) election() Change { return Change{Args: l.tested.Launch.Process.ElectionArgs} }

// Elect implements Elector. The first process leads before there is a second.
func (l replicas) Elect(ctx context.Context) error {
	if err := l.RestartWith(ctx, l.election()); err != nil {
		return err
	}
	return l.standBy(ctx)
}

// KillLeader implements Elector.
func (l replicas) KillLeader(ctx context.Context) error {
	if err := l.undisturbed("killing"); err != nil {
		return err
	}
	if l.standby == nil {
		return fmt.Errorf("killing the leader of %s: it has not been told to elect one", l.process.Name())
	}
	if err := l.process.Kill(); err != nil {
		return err
	}
	l.replica, l.standby = *l.standby, nil
	if err := l.process.AwaitReady(ctx); err != nil {
		return err
	}
	return l.standBy(ctx)
}

// standBy starts another replica, which does not lead.
func (l replicas) standBy(ctx context.Context) error {
	l.started++
	options := l.options
	options.RunDir = filepath.Join(l.options.RunDir, fmt.Sprintf("replica-%d", l.started))
	if err := os.MkdirAll(options.RunDir, 0o755); err != nil {
		return fmt.Errorf("starting another replica of %s: %w", l.tested.Name, err)
	}
	metricsPort, err := process.FreePort()
	if err != nil {
		return fmt.Errorf("starting another replica of %s: %w", l.tested.Name, err)
	}
	var other replica
	other.process, err = process.StartOnPort(ctx, func(port int) process.Options {
		on := ports{own: port, metrics: metricsPort}
		started := l.tested.processOptions(l.kubeconfig, on, options)
		other.args, other.env, other.metricsURL = started.Args, started.Env, l.tested.metricsURL(on.values(l.kubeconfig, options))
		_, started.Args = l.election().rewrite(nil, started.Args, nil)
		started.Unready, started.OnExit = true, l.ended
		return started
	})
	if err != nil {
		return failure(ctx, fmt.Errorf("starting another replica: %w", err))
	}
	l.standby = &other
	return nil
}

// dismiss ends the replica that does not lead, if there is one.
func (l *local) dismiss() error {
	if l.standby == nil {
		return nil
	}
	other := l.standby
	l.standby = nil
	return other.process.Kill()
}
