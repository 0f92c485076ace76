// Package lever acts on single pods and nodes: become unready, fail, stay terminating. A lever says what should happen; how depends on the node.
// It waits until the act has taken effect and decides nothing.
package lever

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Pods are the levers on pods of one kind of node. Every call records the stimulus first and returns when the pod shows the effect, or is gone. For one
// that somebody deletes meanwhile on a simulated node it does not wait. What cannot be done to pods of that kind of node is refused, unrecorded, with an error that wraps ErrOnlySimulated.
type Pods interface {
	// BecomeUnready makes a ready pod unready until BecomeReady.
	BecomeUnready(ctx context.Context, pod *corev1.Pod) error
	// BecomeReady makes an unready pod ready, also one that was started never to become ready.
	BecomeReady(ctx context.Context, pod *corev1.Pod) error
	// Fail ends the pod in phase Failed, as a kubelet does that evicts it. The pod's termination must not be held.
	Fail(ctx context.Context, pod *corev1.Pod) error
	// Succeed ends the pod in phase Succeeded. Real nodes do that only to pods that are not to be restarted, unlike a DaemonSet's.
	Succeed(ctx context.Context, pod *corev1.Pod) error
	// HoldTermination keeps the pod, once deleted, terminating until ReleaseTermination.
	HoldTermination(ctx context.Context, pod *corev1.Pod) error
	// ReleaseTermination lets a held pod go; it returns when the pod is gone, or no longer held if nobody deleted it.
	ReleaseTermination(ctx context.Context, pod *corev1.Pod) error
	// HoldRestart keeps containers of the pod whose image is changed from being restarted, and the change from being seen by the node's agent, until
	// ObserveUpdate or ReleaseRestart. Simulated nodes only.
	HoldRestart(ctx context.Context, pod *corev1.Pod) error
	// ObserveUpdate has the node's agent report, in status.observedGeneration, that it has seen a held pod's change, and restart nothing yet. Where the API
	// server keeps no such field it does nothing. Simulated nodes only.
	ObserveUpdate(ctx context.Context, pod *corev1.Pod) error
	// RestartAs restarts the containers of a held pod whose image was changed, with this image instead of theirs, as where an earlier change comes to them late.
	// The pod stays Ready, and says that it has seen the latest change. Simulated nodes only.
	RestartAs(ctx context.Context, pod *corev1.Pod, image string) error
	// RestartContainer restarts the container of that name of a held pod, with the image of the pod's spec, and no other: it has crashed, or is the first of those
	// whose image was changed. The pod stays Ready, and says that it has seen the latest change. Simulated nodes only.
	RestartContainer(ctx context.Context, pod *corev1.Pod, container string) error
	// RestartContainerAt is RestartContainer on a node by whose clock it is that time, which is when it says that the container started. Resolution: one second.
	// Simulated nodes only.
	RestartContainerAt(ctx context.Context, pod *corev1.Pod, container string, clock time.Time) error
	// ReleaseRestart lets a held pod's containers restart; it returns when all of them are those of the pod's spec. Simulated nodes only.
	ReleaseRestart(ctx context.Context, pod *corev1.Pod) error
	// SetReadySince rewrites the transition time of the pod's Ready condition, as a node whose clock is wrong does. The zero time
	// stands for a condition without one. Resolution: one second. Simulated nodes only.
	SetReadySince(ctx context.Context, pod *corev1.Pod, since time.Time) error
}

// Recorder is what levers need of a recording: to have an act recorded, and to see its effect.
type Recorder interface {
	// Do records the stimulus, carries it out and records its outcome.
	Do(ctx context.Context, stimulus history.Stimulus, act func(context.Context) error) error
	Await(ctx context.Context, condition func(*history.Cluster) bool) error
}
