package spec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Launch is what a process needs to start a control plane and the implementation once more, for a spec that is alone on it.
type Launch struct {
	// Implementation is the implementation file's path or name.
	Implementation string `json:"implementation"`
	// Executable is what was built from it.
	Executable string `json:"executable"`
	// BinDir holds the control-plane binaries of KubernetesVersion.
	BinDir            string `json:"binDir"`
	KubernetesVersion string `json:"kubernetesVersion"`
	// Work and Logs are the run's folders.
	Work string `json:"work"`
	Logs string `json:"logs"`
}

// Alone has a spec run on a control plane of its own, beside an implementation of its own that it may kill and restart:
// Case.Kill, Case.Restart. It is a decorator of It.
type Alone struct{}

// own is a control plane and an implementation that one spec has to itself.
type own struct {
	cluster *embedded.Cluster
	running *implementation.Running
}

func (l Launch) start(ctx context.Context, name string, catalogue *requirements.Catalogue) (_ *own, err error) {
	tested, err := implementation.Load(l.Implementation, catalogue)
	if err != nil {
		return nil, err
	}
	o := &own{}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.stop(context.WithoutCancel(ctx)))
		}
	}()
	dir, logs := filepath.Join(l.Work, name), filepath.Join(l.Logs, name)
	o.cluster, err = embedded.Start(ctx, embedded.Options{
		Binary:            func(binary string) string { return filepath.Join(l.BinDir, binary) },
		KubernetesVersion: l.KubernetesVersion, Dir: dir, LogDir: logs, DisabledControllers: tested.Replaces,
	})
	if err != nil {
		return o, fmt.Errorf("start a control plane of its own: %w", err)
	}
	o.running, err = implementation.Launch(ctx, tested, implementation.LaunchOptions{
		Cluster: o.cluster, Executable: l.Executable, RunDir: filepath.Join(dir, "implementation"), BinDir: l.BinDir,
		LogPath: filepath.Join(logs, tested.Name+".implementation.log"),
	})
	return o, err
}

// environment is the run's, on this control plane.
func (o *own) environment(shared scenario.Environment) (scenario.Environment, error) {
	client, err := kubernetes.NewForConfig(o.cluster.Config())
	shared.Client = client
	return shared, err
}

func (o *own) stop(ctx context.Context) error {
	if o == nil {
		return nil
	}
	var failures []error
	if o.running != nil {
		failures = append(failures, o.running.Stop(ctx))
	}
	if o.cluster != nil {
		failures = append(failures, o.cluster.Stop(ctx))
	}
	return errors.Join(failures...)
}

// Kill ends the implementation with SIGKILL. Only in a spec that is Alone.
func (c *Case) Kill() { c.control("kill", (*implementation.Running).Kill) }

// Restart starts a killed implementation again and returns when it is ready. It then knows all that has happened. Only in a spec that is Alone.
func (c *Case) Restart(ctx context.Context) {
	c.control("restart", func(running *implementation.Running) error { return running.Restart(ctx) })
}

func (c *Case) control(doing string, act func(*implementation.Running) error) {
	if c.own == nil {
		aborter{}.Fatalf("harness: %s the implementation: others use it too, the spec must be spec.Alone", doing)
	}
	if err := act(c.own.running); err != nil {
		aborter{}.Fatalf("harness: %s the implementation: %v", doing, err)
	}
}
