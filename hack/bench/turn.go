package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// phaseTimeout bounds one phase.
const phaseTimeout = 10 * time.Minute

// result is what was measured of one implementation, a turn for each round.
type result struct {
	name  string
	turns []turn
}

// turn is what was measured of an implementation in one round, by phase.
type turn map[string]cost

// cost is what one phase took.
type cost struct {
	// took is the time from the request that began the phase until it was over. lag is, of budgets, the median of the times from the last change of a pod
	// to the status that takes it into account.
	took, lag time.Duration
	// used is what the implementation used meanwhile; its memory is that at the end.
	used usage
}

// turn launches the implementation, has it go through every phase of the course, and stops it.
func (r *runner) turn(
	ctx context.Context, c course, tested *implementation.Implementation, built implementation.Artifact, round int,
) (_ turn, err error) {
	name := fmt.Sprintf("%s-%d", tested.Name, round+1)
	running, err := implementation.Launch(ctx, tested, implementation.LaunchOptions{
		Cluster: r.cluster, Artifact: built, BinDir: r.binDir,
		RunDir: filepath.Join(r.artifacts, "logs", name), LogPath: filepath.Join(r.artifacts, "logs", name+".log"),
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, running.Stop(stopping))
	}()
	metered, err := implementation.Find[implementation.Metered](ctx, running)
	if err != nil {
		return nil, err
	}
	namespace, err := c.enter(ctx, r.client, name)
	if err != nil {
		return nil, err
	}
	watched := c.follow()
	recording, err := r.record(ctx, namespace, name, watched)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, recording.Close()) }()
	measured := turn{}
	for _, p := range c.phases() {
		spent, err := r.phase(ctx, recording, watched, metered, namespace, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		measured[p.name] = spent
	}
	leaving, cancel := context.WithTimeout(ctx, phaseTimeout)
	defer cancel()
	return measured, c.leave(leaving, r.client, namespace)
}

// record records what is in the namespace, and the nodes: one that is lost meanwhile says that the machine is too slow for so many.
func (r *runner) record(ctx context.Context, namespace, turn string, watched follower) (*recorder.Recorder, error) {
	client, err := recorder.NewClient(r.cluster.Config())
	if err != nil {
		return nil, err
	}
	nodes, err := recorder.Nodes(client, labels.Set{kwok.NodeLabel: kwok.NodeLabelValue})
	if err != nil {
		return nil, err
	}
	sources, err := recorder.Namespaced(client, namespace, history.KindDaemonSet, history.KindPodDisruptionBudget, history.KindPod)
	if err != nil {
		return nil, err
	}
	return recorder.Start(ctx, recorder.Options{
		Sources: append(sources, nodes), Path: filepath.Join(r.artifacts, namespace+"-"+turn+".jsonl"), OnEntry: watched.observe,
		Header: history.Header{Scenario: turn, Namespaces: []string{namespace}},
	})
}

// phase begins one and waits until it is over.
func (r *runner) phase(
	ctx context.Context, recording *recorder.Recorder, watched follower, metered implementation.Metered, namespace string, p phase,
) (cost, error) {
	ctx, cancel := context.WithTimeout(ctx, phaseTimeout)
	defer cancel()
	before, err := use(ctx, metered)
	if err != nil {
		return cost{}, err
	}
	over := watched.begin(p.wanted)
	stimulus := p.stimulus
	stimulus.Namespace, stimulus.Detail = namespace, p.name
	if err := recording.Do(ctx, stimulus, func(ctx context.Context) error { return p.do(ctx, r.client, namespace) }); err != nil {
		return cost{}, err
	}
	select {
	case <-over:
	case <-ctx.Done():
		return cost{}, fmt.Errorf("not over: %s: %w", watched.state(), context.Cause(ctx))
	}
	after, err := use(ctx, metered)
	if err != nil {
		return cost{}, err
	}
	spent, err := watched.measured()
	spent.used = after.since(before)
	return spent, err
}
