package lever

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/fixtures/workload/behaviour"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// listenLook is how often a workload server that does not listen yet is asked again.
const listenLook = 100 * time.Millisecond

// ErrOnlySimulated is what the errors of Real wrap where nothing can do to a pod with a kubelet what was asked for.
var ErrOnlySimulated = errors.New("the scenario must be on simulated nodes")

// Real are the levers on pods that run the workload server (fixtures/workload) under a kubelet. They reach it through the API server's proxy to
// pods, at the port that the readiness probe asks, so the pod's container must be running.
type Real struct {
	Client   kubernetes.Interface
	Recorder Recorder
}

var _ Pods = Real{}

// BecomeUnready implements Pods. Until its container restarts: the server begins anew then.
func (l Real) BecomeUnready(ctx context.Context, pod *corev1.Pod) error {
	return pull{stimulus: history.BecomeUnready, pod: pod, act: l.ask(pod, "readiness", "ready", "false"), effect: unready}.record(ctx, l.Recorder)
}

// BecomeReady implements Pods.
func (l Real) BecomeReady(ctx context.Context, pod *corev1.Pod) error {
	return pull{stimulus: history.BecomeReady, pod: pod, act: l.ask(pod, "readiness", "ready", "true"), effect: history.IsReady}.record(ctx, l.Recorder)
}

// Fail implements Pods. The pod gets a deadline that is over, which a kubelet enforces whatever the restart policy; the reason is DeadlineExceeded.
func (l Real) Fail(ctx context.Context, pod *corev1.Pod) error {
	deadline := map[string]any{"spec": map[string]any{"activeDeadlineSeconds": 1}}
	return pull{stimulus: history.FailPod, pod: pod, act: patch(l.Client, pod, deadline), effect: inPhase(corev1.PodFailed)}.record(ctx, l.Recorder)
}

// Succeed implements Pods, where a kubelet does not restart the container: the restart policy of a DaemonSet's pods is Always.
func (l Real) Succeed(ctx context.Context, pod *corev1.Pod) error {
	p := pull{stimulus: history.SucceedPod, pod: pod, act: l.ask(pod, "exit", "code", "0"), effect: inPhase(corev1.PodSucceeded)}
	if pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		return p.failed(fmt.Errorf("its restart policy is Always, so its kubelet would restart it: %w", ErrOnlySimulated))
	}
	return p.record(ctx, l.Recorder)
}

// HoldTermination implements Pods, for as long as the deletion's grace period.
func (l Real) HoldTermination(ctx context.Context, pod *corev1.Pod) error {
	return pull{stimulus: history.HoldTermination, pod: pod, act: l.ask(pod, "termination", "reaction", string(behaviour.Ignore))}.record(ctx, l.Recorder)
}

// ReleaseTermination implements Pods. What the pod serves is handed over first.
func (l Real) ReleaseTermination(ctx context.Context, pod *corev1.Pod) error {
	release, deleted := l.ask(pod, "termination", "reaction", string(behaviour.Drain)), true
	return pull{
		stimulus: history.ReleaseTermination, pod: pod,
		act: func(ctx context.Context) error {
			if err := release(ctx); err != nil {
				return err
			}
			current, err := l.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
			deleted = err != nil || current.UID != pod.UID || current.DeletionTimestamp != nil
			return err
		},
		effect: func(*corev1.Pod) bool { return !deleted },
	}.record(ctx, l.Recorder)
}

// SetReadySince implements Pods by refusing.
func (l Real) SetReadySince(_ context.Context, pod *corev1.Pod, _ time.Time) error {
	p := pull{stimulus: history.SetReadySince, pod: pod}
	return p.failed(fmt.Errorf("its kubelet keeps that time itself: %w", ErrOnlySimulated))
}

// HoldRestart implements Pods by refusing.
func (l Real) HoldRestart(_ context.Context, pod *corev1.Pod) error {
	return restartsAtOnce(pull{stimulus: history.HoldRestart, pod: pod})
}

// ObserveUpdate implements Pods by refusing.
func (l Real) ObserveUpdate(_ context.Context, pod *corev1.Pod) error {
	return restartsAtOnce(pull{stimulus: history.ObserveUpdate, pod: pod})
}

// RestartAs implements Pods by refusing.
func (l Real) RestartAs(_ context.Context, pod *corev1.Pod, _ string) error {
	return restartsAtOnce(pull{stimulus: history.RestartAs, pod: pod})
}

// RestartContainer implements Pods by refusing.
func (l Real) RestartContainer(_ context.Context, pod *corev1.Pod, _ string) error {
	return restartsAtOnce(pull{stimulus: history.RestartContainer, pod: pod})
}

// RestartContainerAt implements Pods by refusing.
func (l Real) RestartContainerAt(ctx context.Context, pod *corev1.Pod, container string, _ time.Time) error {
	return l.RestartContainer(ctx, pod, container)
}

// ReleaseRestart implements Pods by refusing.
func (l Real) ReleaseRestart(_ context.Context, pod *corev1.Pod) error {
	return restartsAtOnce(pull{stimulus: history.ReleaseRestart, pod: pod})
}

func restartsAtOnce(p pull) error {
	return p.failed(fmt.Errorf("its kubelet restarts a container as soon as it can: %w", ErrOnlySimulated))
}

// End has the pod's workload server exit at once, whatever it was told about its termination. It is for clean-up, and not recorded. A kubelet that has begun
// to wait for a long grace period was seen not to shorten it, though the pod was deleted once more with a shorter one (Kubernetes 1.37.0).
func End(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) error {
	return Real{Client: client}.askOnce(pod, "exit", "code", "0")(ctx)
}

// ask pulls one of the workload server's own levers, see fixtures/workload/control. A container runs a little before its server listens, so that nobody
// listens yet is waited for.
func (l Real) ask(pod *corev1.Pod, lever, argument, value string) func(context.Context) error {
	once := l.askOnce(pod, lever, argument, value)
	return func(ctx context.Context) error {
		var last error
		err := wait.PollUntilContextTimeout(ctx, listenLook, effectTimeout, true, func(ctx context.Context) (bool, error) {
			last = once(ctx)
			return !nobodyListens(last), nil
		})
		return cmp.Or(last, err)
	}
}

// nobodyListens reports whether the error is how the API server says that the connection to the pod was refused: the request did nothing.
func nobodyListens(err error) bool {
	return apierrors.IsServiceUnavailable(err) && strings.Contains(err.Error(), syscall.ECONNREFUSED.Error())
}

// askOnce is ask where nothing is waited for.
func (l Real) askOnce(pod *corev1.Pod, lever, argument, value string) func(context.Context) error {
	return func(ctx context.Context) error {
		port, err := controlPort(pod)
		if err != nil {
			return err
		}
		return l.Client.CoreV1().RESTClient().Post().Namespace(pod.Namespace).Resource("pods").
			Name(utilnet.JoinSchemeNamePort("", pod.Name, strconv.Itoa(port))).SubResource("proxy").Suffix(lever).Param(argument, value).
			Do(ctx).Error()
	}
}

// controlPort is where the workload server is steered: the readiness probe asks there. Admission may have put containers with probes before it.
func controlPort(pod *corev1.Pod) (int, error) {
	var containers []corev1.Container
	if daemon := history.Daemon(&pod.Spec); daemon != nil {
		containers = append(containers, *daemon)
	}
	for _, container := range append(containers, pod.Spec.Containers...) {
		if probe := container.ReadinessProbe; probe != nil && probe.HTTPGet != nil && probe.HTTPGet.Port.IntValue() != 0 {
			return probe.HTTPGet.Port.IntValue(), nil
		}
	}
	return 0, errors.New("no readiness probe calls a numbered port, so it runs no workload server: make it from the scenario's template")
}
