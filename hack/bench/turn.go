package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"

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
	// took is the time from the request that began the phase until every node had exactly one pod, of the new template and Ready.
	took time.Duration
	// used is what the implementation used meanwhile; its memory is that at the end.
	used usage
}

// turn launches the implementation, has it go through every phase, and stops it.
func (l *laboratory) turn(ctx context.Context, tested *implementation.Implementation, built implementation.Artifact, round int) (_ turn, err error) {
	name := fmt.Sprintf("%s-%d", tested.Name, round+1)
	running, err := implementation.Launch(ctx, tested, implementation.LaunchOptions{
		Cluster: l.cluster, Artifact: built, BinDir: l.binDir,
		RunDir: filepath.Join(l.artifacts, "logs", name), LogPath: filepath.Join(l.artifacts, "logs", name+".log"),
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
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bench-" + name}}
	if _, err := l.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	watched := newProgress(l.nodes)
	recording, err := l.record(ctx, namespace.Name, watched)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, recording.Close()) }()
	measured := turn{}
	for _, p := range phases() {
		spent, err := l.phase(ctx, recording, watched, metered, namespace.Name, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		measured[p.name] = spent
	}
	return measured, l.clean(ctx, namespace.Name)
}

// record records the rollouts, and the nodes: one that is lost meanwhile says that the machine is too slow for so many.
func (l *laboratory) record(ctx context.Context, namespace string, watched *progress) (*recorder.Recorder, error) {
	client, err := recorder.NewClient(l.cluster.Config())
	if err != nil {
		return nil, err
	}
	nodes, err := recorder.Nodes(client, labels.Set{kwok.NodeLabel: kwok.NodeLabelValue})
	if err != nil {
		return nil, err
	}
	sources, err := recorder.Namespaced(client, namespace, history.KindDaemonSet, history.KindPod)
	if err != nil {
		return nil, err
	}
	return recorder.Start(ctx, recorder.Options{
		Sources: append(sources, nodes), Path: filepath.Join(l.artifacts, namespace+".jsonl"), OnEntry: watched.observe,
		Header: history.Header{Scenario: namespace, Namespaces: []string{namespace}},
	})
}

// phase begins one and waits until it is over.
func (l *laboratory) phase(
	ctx context.Context, recording *recorder.Recorder, watched *progress, metered implementation.Metered, namespace string, p phase,
) (cost, error) {
	ctx, cancel := context.WithTimeout(ctx, phaseTimeout)
	defer cancel()
	before, err := use(ctx, metered)
	if err != nil {
		return cost{}, err
	}
	over := watched.begin(p.image)
	stimulus := history.Stimulus{Act: p.act, Kind: history.KindDaemonSet, Namespace: namespace, Name: daemon, Detail: p.name}
	if err := recording.Do(ctx, stimulus, func(ctx context.Context) error { return p.do(ctx, l.client.AppsV1().DaemonSets(namespace)) }); err != nil {
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
	took, err := watched.took()
	return cost{took: took, used: after.since(before)}, err
}

// clean removes the rollout, and waits until the nodes are free for the next.
func (l *laboratory) clean(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, phaseTimeout)
	defer cancel()
	if err := l.client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, lookInterval, true, func(ctx context.Context) (bool, error) {
		left, err := l.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(left.Items) == 0, err
	})
}
