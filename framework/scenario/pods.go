package scenario

import (
	"context"
	"encoding/json"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// LivePods returns the DaemonSet's pods that are neither terminating nor terminal, in the order of their nodes' names.
func (s *Scenario) LivePods(ctx context.Context, daemonSet *appsv1.DaemonSet) []*corev1.Pod {
	s.tb.Helper()
	var pods []*corev1.Pod
	s.Look(ctx, func(cluster *history.Cluster) {
		for _, node := range cluster.NodesOf(daemonSet.UID) {
			for _, pod := range cluster.PodsOn(daemonSet.UID, node) {
				if history.IsLive(pod) {
					pods = append(pods, pod)
				}
			}
		}
	})
	return pods
}

// LivePodOn returns the newest live pod of the DaemonSet on the node. A scenario that finds none ends there.
func (s *Scenario) LivePodOn(ctx context.Context, daemonSet *appsv1.DaemonSet, node string) *corev1.Pod {
	s.tb.Helper()
	var newest *corev1.Pod
	for _, pod := range s.LivePods(ctx, daemonSet) {
		if history.NodeOf(pod) == node {
			newest = pod
		}
	}
	if newest == nil {
		s.tb.Fatalf("precondition not reached: DaemonSet %s has no live pod on node %s", daemonSet.Name, node)
	}
	return newest
}

// Look shows the recorded state, which the reader must neither keep nor change.
func (s *Scenario) Look(ctx context.Context, read func(*history.Cluster)) {
	s.tb.Helper()
	s.must(s.recorder.Await(ctx, func(cluster *history.Cluster) bool {
		read(cluster)
		return true
	}), "read the recorded state")
}

// Holds reports whether the condition holds in what is recorded so far.
func (s *Scenario) Holds(ctx context.Context, condition Condition) (holds bool) {
	s.tb.Helper()
	s.Look(ctx, func(cluster *history.Cluster) { holds = condition.Holds(cluster) })
	return holds
}

// MakeStaticPod makes a pod as a kubelet's mirror of a static pod is: its node is its controller.
func (s *Scenario) MakeStaticPod(ctx context.Context, node string, labels map[string]string) *corev1.Pod {
	s.tb.Helper()
	owner, err := s.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	s.must(err, "get node %s", node)
	return s.MakePod(ctx, "static-"+node, node, labels, func(pod *corev1.Pod) {
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("Node"))}
	})
}

// MakePod makes a pod on the node that nobody controls. Each edit changes it before.
func (s *Scenario) MakePod(ctx context.Context, name, node string, labels map[string]string, edits ...func(*corev1.Pod)) *corev1.Pod {
	s.tb.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace, Labels: labels}, Spec: s.env.podSpec()}
	pod.Spec.NodeName = node
	for _, edit := range edits {
		edit(pod)
	}
	var created *corev1.Pod
	err := s.Do(ctx, onPod(history.CreatePod, pod), func(ctx context.Context) (err error) {
		created, err = s.client.CoreV1().Pods(s.namespace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	})
	s.must(err, "create pod %s on %s", name, node)
	return created
}

// DeletePod deletes the pod with the grace period, and returns when the recording shows it: what is awaited next cannot hold by the pod as it was.
func (s *Scenario) DeletePod(ctx context.Context, pod *corev1.Pod, grace time.Duration) {
	s.tb.Helper()
	s.must(ignoreNotFound(s.TryDeletePod(ctx, pod, grace)), "delete pod %s", pod.Name)
	s.Await(ctx, Leaving(pod))
}

// TryDeletePod is DeletePod for what may be refused. It waits for the answer alone.
func (s *Scenario) TryDeletePod(ctx context.Context, pod *corev1.Pod, grace time.Duration) error {
	s.tb.Helper()
	seconds := int64(grace / time.Second)
	options := metav1.DeleteOptions{GracePeriodSeconds: &seconds, Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
	return s.Do(ctx, onPod(history.DeletePod, pod), func(ctx context.Context) error {
		return s.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, options)
	})
}

// AddOwner makes the node on which the pod runs one of its owners, beside its controller and before it.
func (s *Scenario) AddOwner(ctx context.Context, pod *corev1.Pod) {
	s.tb.Helper()
	node, err := s.client.CoreV1().Nodes().Get(ctx, history.NodeOf(pod), metav1.GetOptions{})
	s.must(err, "read node %s", history.NodeOf(pod))
	owner := metav1.OwnerReference{APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Node", Name: node.Name, UID: node.UID}
	// Any other patch may put it last.
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/metadata/ownerReferences/0", "value": owner}})
	s.must(err, "encode an owner of pod %s", pod.Name)
	err = s.Do(ctx, onPod(history.AddOwner, pod), func(ctx context.Context) error {
		_, err := s.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.JSONPatchType, patch, metav1.PatchOptions{})
		return err
	})
	s.must(err, "add an owner to pod %s", pod.Name)
}

// AddToleration has the pod tolerate a taint that no node has: one of the few changes of a pod's spec that the API lets anybody make, as kubectl debug makes another.
func (s *Scenario) AddToleration(ctx context.Context, pod *corev1.Pod) {
	s.tb.Helper()
	pods := s.client.CoreV1().Pods(pod.Namespace)
	_, err := rewrite(ctx, s, onPod(history.AddToleration, pod), pods, func(current *corev1.Pod) {
		current.Spec.Tolerations = append(current.Spec.Tolerations, corev1.Toleration{Key: "rollcall.dev/none", Operator: corev1.TolerationOpExists})
	}, pods.Update)
	s.must(err, "add a toleration to pod %s", pod.Name)
}

// AddFinalizer keeps the pod's object, once deleted, until RemoveFinalizer or the end of the scenario, whatever its node does.
func (s *Scenario) AddFinalizer(ctx context.Context, pod *corev1.Pod) {
	s.tb.Helper()
	err := s.Do(ctx, onPod(history.AddFinalizer, pod), func(ctx context.Context) error { return patchPod(ctx, s.client, pod, hold) })
	s.must(err, "hold pod %s", pod.Name)
	s.held = append(s.held, func(ctx context.Context) error { return patchPod(ctx, s.admin, pod, letGo) })
}

// RemoveFinalizer undoes AddFinalizer.
func (s *Scenario) RemoveFinalizer(ctx context.Context, pod *corev1.Pod) {
	s.tb.Helper()
	err := s.Do(ctx, onPod(history.RemoveFinalizer, pod), func(ctx context.Context) error { return patchPod(ctx, s.client, pod, letGo) })
	s.must(err, "let go of pod %s", pod.Name)
}

// PatchImage gives the pod's container another image, as somebody does who works on the pod by hand, and returns when the recording shows it.
func (s *Scenario) PatchImage(ctx context.Context, pod *corev1.Pod, tag string) {
	s.tb.Helper()
	stimulus := onPod(history.PatchPod, pod)
	stimulus.Detail = "image " + tag
	pods := s.client.CoreV1().Pods(pod.Namespace)
	stored, err := rewrite(ctx, s, stimulus, pods, func(current *corev1.Pod) { setTag(&current.Spec.Containers[0], tag) }, pods.Update)
	s.must(err, "give pod %s another image", pod.Name)
	s.Require(ctx, "the recording shows the image", state.When("pod "+pod.Name+" was changed", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		return now == nil || shows(now, stored)
	}))
}

func patchPod(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, body string) error {
	_, err := client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, []byte(body), metav1.PatchOptions{})
	return ignoreNotFound(err)
}

func onPod(act history.Act, pod *corev1.Pod) history.Stimulus {
	return history.Stimulus{Act: act, Kind: history.KindPod, Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Node: history.NodeOf(pod)}
}

// Levers are lever.Pods for a spec: a lever that fails ends it.
type Levers struct {
	tb   TB
	pods lever.Pods
}

// BecomeUnready is lever.Pods.BecomeUnready.
func (l Levers) BecomeUnready(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.BecomeUnready(ctx, pod))
}

// BecomeReady is lever.Pods.BecomeReady.
func (l Levers) BecomeReady(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.BecomeReady(ctx, pod))
}

// Fail is lever.Pods.Fail.
func (l Levers) Fail(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.Fail(ctx, pod))
}

// Succeed is lever.Pods.Succeed.
func (l Levers) Succeed(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.Succeed(ctx, pod))
}

// HoldTermination is lever.Pods.HoldTermination.
func (l Levers) HoldTermination(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.HoldTermination(ctx, pod))
}

// ReleaseTermination is lever.Pods.ReleaseTermination.
func (l Levers) ReleaseTermination(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.ReleaseTermination(ctx, pod))
}

// HoldRestart is lever.Pods.HoldRestart.
func (l Levers) HoldRestart(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.HoldRestart(ctx, pod))
}

// ObserveUpdate is lever.Pods.ObserveUpdate.
func (l Levers) ObserveUpdate(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.ObserveUpdate(ctx, pod))
}

// RestartAs is lever.Pods.RestartAs.
func (l Levers) RestartAs(ctx context.Context, pod *corev1.Pod, image string) {
	l.tb.Helper()
	l.must(l.pods.RestartAs(ctx, pod, image))
}

// RestartContainer is lever.Pods.RestartContainer.
func (l Levers) RestartContainer(ctx context.Context, pod *corev1.Pod, container string) {
	l.tb.Helper()
	l.must(l.pods.RestartContainer(ctx, pod, container))
}

// RestartContainerAt is lever.Pods.RestartContainerAt.
func (l Levers) RestartContainerAt(ctx context.Context, pod *corev1.Pod, container string, clock time.Time) {
	l.tb.Helper()
	l.must(l.pods.RestartContainerAt(ctx, pod, container, clock))
}

// ReleaseRestart is lever.Pods.ReleaseRestart.
func (l Levers) ReleaseRestart(ctx context.Context, pod *corev1.Pod) {
	l.tb.Helper()
	l.must(l.pods.ReleaseRestart(ctx, pod))
}

// SetReadySince is lever.Pods.SetReadySince.
func (l Levers) SetReadySince(ctx context.Context, pod *corev1.Pod, since time.Time) {
	l.tb.Helper()
	l.must(l.pods.SetReadySince(ctx, pod, since))
}

func (l Levers) must(err error) {
	l.tb.Helper()
	if err != nil {
		l.tb.Fatalf("harness: %v", err)
	}
}
