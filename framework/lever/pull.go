package lever

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// effectTimeout is how long a pod may take to show what a lever did. On a simulated node it takes some 10 ms, on a real one a few seconds; more
// means that KWOK or the kubelet is not working.
const effectTimeout = 30 * time.Second

// pull is one act on a pod.
type pull struct {
	stimulus history.Act
	// detail is what else the recording says of it.
	detail string
	pod    *corev1.Pod
	// act does it. That the pod is not found is no failure.
	act func(context.Context) error
	// effect reports whether the pod, as recorded, shows what was done. A pod that is gone is not asked: it shows every effect. Default: act did it all.
	effect func(now *corev1.Pod) bool
}

// record writes the stimulus down, then acts, then waits for the effect.
func (p pull) record(ctx context.Context, recorder Recorder) error {
	err := recorder.Do(ctx, history.Stimulus{
		Act: p.stimulus, Kind: history.KindPod, Namespace: p.pod.Namespace, Name: p.pod.Name, UID: p.pod.UID, Node: history.NodeOf(p.pod), Detail: p.detail,
	}, p.act)
	if err != nil && !apierrors.IsNotFound(err) {
		return p.failed(err)
	}
	if p.effect == nil {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, effectTimeout)
	defer cancel()
	err = recorder.Await(bounded, func(cluster *history.Cluster) bool {
		now := cluster.Pods[p.pod.UID]
		return now == nil || p.effect(now)
	})
	if err != nil {
		return p.failed(fmt.Errorf("the pod does not show it: %w", err))
	}
	return nil
}

func (p pull) failed(err error) error {
	return fmt.Errorf("%s pod %s/%s: %w", p.stimulus, p.pod.Namespace, p.pod.Name, err)
}

// patch changes a pod.
func patch(client kubernetes.Interface, pod *corev1.Pod, change any, subresources ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		body, err := json.Marshal(change)
		if err != nil {
			return err
		}
		_, err = client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, subresources...)
		return err
	}
}

func unready(pod *corev1.Pod) bool { return !history.IsReady(pod) }

func inPhase(phase corev1.PodPhase) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return pod.Status.Phase == phase }
}
