package spec

import (
	"context"
	"errors"
	"path/filepath"

	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/pulse"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Launch is what a process needs to give a spec that is alone a cluster and an implementation.
type Launch struct {
	// Kind is the name of the kind cluster that all specs share. Empty: the run lends a control plane to a spec that is alone.
	Kind string `json:"kind,omitempty"`
	// Implementation is the implementation file's path or name.
	Implementation string `json:"implementation"`
	// Artifact is what was built from it.
	Artifact implementation.Artifact `json:"artifact"`
	// BinDir holds the control plane's binaries.
	BinDir string `json:"binDir"`
	// Work and Logs are the run's folders.
	Work string `json:"work"`
	Logs string `json:"logs"`
}

// own is the implementation, and the cluster that it works on, while one spec has both to itself.
type own struct {
	tested  *implementation.Implementation
	cluster cluster.Cluster
	// lent is the cluster that the run lends to this spec; nil where it is shared.
	lent *lent
	// machines are nil where there are none.
	machines cluster.Machines
	options  implementation.LaunchOptions
	running  *implementation.Running
	// pulse of the cluster that is lent.
	pulse *pulse.Pulse
	// handedBack: kube-controller-manager does the implementation's work.
	handedBack bool
	// disturbed: what was done to the implementation last has not been undone; changed: it does not run as its file says.
	disturbed, changed bool
	// spoiled: the cluster that is lent is not as it was, and nobody is to have it after this spec.
	spoiled bool
	// shared: others will use the cluster and the implementation after the spec.
	shared bool
}

// takeControl gives a spec of that name its own, with a relay before the API server if that is wanted and possible.
func (s Session) takeControl(ctx context.Context, name string, relay bool, catalogue *requirements.Catalogue) (*own, error) {
	tested, err := implementation.Load(s.Launch.Implementation, catalogue)
	if err != nil {
		return nil, err
	}
	o := &own{tested: tested}
	if s.Launch.Kind != "" {
		err = s.attach(ctx, o)
	} else if err = s.start(ctx, name, relay, o); err == nil {
		o.pulse, err = s.startPulse(ctx, o.cluster.Config())
	}
	if err != nil {
		o.spoiled = true
		cleaning, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
		defer cancel()
		return nil, errors.Join(err, o.release(cleaning))
	}
	return o, nil
}

// attach takes hold of the kind cluster that all specs share, and of the implementation in it.
func (s Session) attach(ctx context.Context, o *own) error {
	nodes, err := kind.Attach(ctx, s.Launch.Kind, s.Kubeconfig)
	if err != nil {
		return err
	}
	o.cluster, o.machines, o.shared = nodes, nodes, true
	o.options = implementation.LaunchOptions{
		Cluster: nodes, Machines: nodes, Artifact: s.Launch.Artifact,
		LogPath: filepath.Join(s.Launch.Logs, o.tested.Name+".implementation.log"),
	}
	if o.running, err = implementation.Attach(ctx, o.tested, o.options); err != nil {
		return err
	}
	return o.ensureActive(ctx)
}

// ensureActive makes sure that the implementation is at work, and nobody else in its place: a spec before this one may have failed to put that back.
func (o *own) ensureActive(ctx context.Context) error {
	if err := o.cluster.SwitchOff(ctx, o.tested.Replaces...); err != nil {
		return err
	}
	if o.running.AwaitReady(ctx) == nil {
		return nil
	}
	return o.restart(ctx)
}

// start starts the implementation once more, on a control plane that the run lends.
func (s Session) start(ctx context.Context, name string, relay bool, o *own) (err error) {
	if o.lent, err = supervisor(s.Supervisor).borrow(ctx); err != nil {
		return err
	}
	o.cluster = o.lent
	o.options = implementation.LaunchOptions{
		Cluster: o.lent, Relay: relay, Artifact: s.Launch.Artifact, RunDir: filepath.Join(o.lent.Dir, name), BinDir: s.Launch.BinDir,
		LogPath: filepath.Join(o.lent.Logs, name+"."+o.tested.Name+".implementation.log"),
	}
	o.running, err = implementation.Launch(ctx, o.tested, o.options)
	return err
}

// environment is the run's, on this cluster.
func (o *own) environment(ctx context.Context, shared scenario.Environment) (scenario.Environment, error) {
	client, err := kubernetes.NewForConfig(o.cluster.Config())
	if err != nil {
		return shared, err
	}
	shared.Config, shared.Machines, shared.Exclusive = o.cluster.Config(), o.machines, true
	if reachable, ok := o.cluster.(cluster.Storage); ok {
		shared.StorageURL = reachable.StorageURL()
	}
	if !o.shared {
		shared.Pulse = o.pulse
	}
	shared.Authors, err = o.authors(ctx, client)
	return shared, err
}

// release leaves the cluster to those who come after, with the implementation at work where they share it.
func (o *own) release(ctx context.Context) error {
	switch {
	case o == nil || o.cluster == nil:
		return nil
	case !o.shared:
		return o.giveBack(ctx)
	case o.handedBack:
		return o.takeOver(ctx)
	case o.disturbed, o.changed:
		return o.restart(ctx)
	}
	return nil
}

// giveBack ends the implementation, and returns the cluster that was lent.
func (o *own) giveBack(ctx context.Context) error {
	o.pulse.Stop()
	var err error
	if o.running != nil {
		err = o.running.Stop(ctx)
	}
	if err != nil || o.spoiled || o.handedBack {
		return errors.Join(err, o.lent.Stop(ctx))
	}
	return o.lent.giveBack(ctx)
}

// restart has the implementation run as its file says.
func (o *own) restart(ctx context.Context) error {
	restarter, err := implementation.Find[implementation.Restarter](ctx, o.running)
	if err == nil {
		err = restarter.Restart(ctx)
	}
	if err == nil {
		o.disturbed, o.changed = false, false
	}
	return err
}

// restartWith has the implementation run otherwise than its file says, until restart.
func (o *own) restartWith(ctx context.Context, change implementation.Change) error {
	reconfigurer, err := implementation.Find[implementation.Reconfigurer](ctx, o.running)
	if err != nil {
		return err
	}
	err = reconfigurer.RestartWith(ctx, change)
	switch {
	case err == nil:
		o.disturbed, o.changed = false, true
	case !errors.Is(err, errors.ErrUnsupported):
		o.changed = true
	}
	return err
}

// handBack ends the implementation and has kube-controller-manager do its work.
func (o *own) handBack(ctx context.Context) error {
	restarter, err := implementation.Find[implementation.Restarter](ctx, o.running)
	if err != nil {
		return err
	}
	o.handedBack = true
	if err := restarter.StandDown(ctx); err != nil {
		return err
	}
	return o.cluster.SwitchOff(ctx)
}

// takeOver ends what kube-controller-manager does of the implementation's work, and starts the implementation. What is to happen in between may be given.
func (o *own) takeOver(ctx context.Context, meanwhile ...func()) error {
	if err := o.cluster.SwitchOff(ctx, o.tested.Replaces...); err != nil {
		return err
	}
	for _, act := range meanwhile {
		act()
	}
	if err := o.restart(ctx); err != nil {
		return err
	}
	o.handedBack = false
	return nil
}
