package simulation

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// kubelets run the pods of all nodes: pods start, become ready after a while or never, fail, and end some time after they were deleted.
type kubelets struct {
	clock  *clock
	api    *apiServer
	chance chance
	pace   pace

	containers map[types.UID]*container
	// down nodes do nothing; what they would have done is in parked, as for nodes that do not exist.
	down   map[string]bool
	parked map[string][]func()
	// kind pods get well, whatever their image says.
	kind bool
}

// pace bounds how long things take.
type pace struct {
	// Start is the most that a pod needs to become ready; one that is slow needs ten times as long.
	Start time.Duration
	// Stop is the most that a deleted pod needs to end.
	Stop time.Duration
	// Skew is how far clocks of nodes may be from the true time, in either direction.
	Skew time.Duration
}

// container is what the kubelet knows of a pod beyond its status.
type container struct {
	pod     string
	started bool
	unready bool
	// image is what it runs, generation that of the pod that its kubelet works by, and restarts how often it was restarted, last at startedAt.
	image      string
	generation int64
	restarts   int32
	startedAt  metav1.Time
	// syncing: its kubelet is at work on a change of the pod.
	syncing bool
	// held pods do not end though deleted; ending is set if one should have by now.
	held, deleted, ending bool
}

func newKubelets(clock *clock, api *apiServer, chance chance, pace pace) *kubelets {
	k := &kubelets{
		clock: clock, api: api, chance: chance, pace: pace,
		containers: map[types.UID]*container{}, down: map[string]bool{}, parked: map[string][]func(){},
	}
	api.watchers = append(api.watchers, k.watch)
	return k
}

func (k *kubelets) watch(entry history.Entry) {
	switch object := entry.Object.(type) {
	case *corev1.Node:
		if entry.Type == watch.Added {
			k.resume(object.Name)
		}
	case *corev1.Pod:
		if entry.Type == watch.Deleted {
			delete(k.containers, object.UID)
			return
		}
		if object.Spec.NodeName == "" || len(object.Spec.Containers) == 0 {
			return
		}
		c := k.containers[object.UID]
		if c == nil {
			c = &container{pod: object.Name}
			k.containers[object.UID] = c
			k.do(object, 300*time.Millisecond, "pull", func() { k.run(object.UID) })
		}
		if c.image != "" && object.Generation != c.generation && !c.syncing && object.DeletionTimestamp == nil {
			c.syncing = true
			k.do(object, 300*time.Millisecond, "see the change", func() { k.sync(object.UID) })
		}
		if object.DeletionTimestamp != nil && !c.deleted {
			c.deleted = true
			k.do(object, k.pace.Stop, "stop", func() { k.end(object.UID) })
		}
	}
}

// do lets the node of pod act within the time given, or when the node is up again.
func (k *kubelets) do(pod *corev1.Pod, within time.Duration, what string, act func()) {
	node := pod.Spec.NodeName
	k.clock.after(k.chance.between(0, within, what, pod.Name), func() {
		if k.down[node] || k.api.node(node) == nil {
			k.parked[node] = append(k.parked[node], act)
			return
		}
		act()
	})
}

// goDown stops the kubelet of a node; its pods stay as they are.
func (k *kubelets) goDown(node string) { k.down[node] = true }

// resume starts the kubelet of a node, which does what it had no time for.
func (k *kubelets) resume(node string) {
	delete(k.down, node)
	parked := k.parked[node]
	delete(k.parked, node)
	for _, act := range parked {
		k.clock.after(0, act)
	}
}

// run starts the pod's container.
func (k *kubelets) run(uid types.UID) {
	pod := k.runningPod(uid)
	if pod == nil {
		return
	}
	c := k.containers[uid]
	if strings.HasSuffix(image(&pod.Spec), suffixMissing) && !k.kind {
		k.await(pod, "ErrImagePull")
		return
	}
	c.image, c.generation, c.startedAt = image(&pod.Spec), pod.Generation, k.wholeSecond()
	k.setStatus(pod, corev1.PodRunning, false)
	k.start(pod)
}

// start makes the pod's container ready after a while.
func (k *kubelets) start(pod *corev1.Pod) {
	c := k.containers[pod.UID]
	within, restarts := k.pace.Start, c.restarts
	if strings.HasSuffix(c.image, suffixSlow) && !k.kind {
		within *= 10
	}
	k.do(pod, within, "start", func() {
		if k.containers[pod.UID] == c && c.restarts == restarts {
			c.started = true
			k.refresh(pod.UID)
		}
	})
}

// refresh makes the pod's readiness what it should be.
func (k *kubelets) refresh(uid types.UID) {
	pod, c := k.runningPod(uid), k.containers[uid]
	switch {
	case pod == nil || !c.started:
	case strings.HasSuffix(c.image, suffixLooping) && !k.kind:
		k.await(pod, "CrashLoopBackOff")
	case strings.HasSuffix(c.image, suffixCrashing) && !k.kind:
		k.setStatus(pod, corev1.PodFailed, false)
	default:
		broken := strings.HasSuffix(c.image, suffixBroken) && !k.kind
		k.setStatus(pod, corev1.PodRunning, !broken && !c.unready)
	}
}

// await has the pod say that its container waits, and why.
func (k *kubelets) await(pod *corev1.Pod, reason string) {
	k.setStatus(pod, corev1.PodPending, false)
	k.api.updatePod(pod.Name, func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: pod.Spec.Containers[0].Name, Image: image(&pod.Spec),
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}},
		}}
	})
}

// end finishes a deleted pod. Some kubelets report first that it has ended, others only that it is gone.
func (k *kubelets) end(uid types.UID) {
	c := k.containers[uid]
	if c == nil {
		return
	}
	if c.held {
		c.ending = true
		return
	}
	pod := k.api.pod(c.pod)
	if !k.chance.percent(30, "reports its end", c.pod) {
		k.api.remove(history.KindPod, c.pod)
		return
	}
	phase := corev1.PodSucceeded
	if k.chance.percent(50, "ends badly", c.pod) {
		phase = corev1.PodFailed
	}
	if !history.IsTerminal(pod) {
		k.setStatus(pod, phase, false)
	}
	k.do(pod, 2*time.Second, "report", func() {
		if k.containers[uid] == c {
			k.api.remove(history.KindPod, c.pod)
		}
	})
}

// runningPod returns the pod as it is, if it still runs or should.
func (k *kubelets) runningPod(uid types.UID) *corev1.Pod {
	c := k.containers[uid]
	if c == nil {
		return nil
	}
	pod := k.api.pod(c.pod)
	if history.IsTerminal(pod) {
		return nil
	}
	return pod
}

// setStatus writes phase and readiness; the transition time is the node's, and has whole seconds.
func (k *kubelets) setStatus(pod *corev1.Pod, phase corev1.PodPhase, ready bool) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	skew := k.chance.between(0, 2*k.pace.Skew, "clock of", pod.Spec.NodeName) - k.pace.Skew
	now := metav1.NewTime(k.clock.now.Add(skew).Truncate(time.Second))
	k.api.updatePod(pod.Name, func(pod *corev1.Pod) {
		pod.Status.Phase = phase
		k.tell(pod)
		if condition := history.Ready(pod); condition == nil {
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now})
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: status, LastTransitionTime: now})
		} else if condition.Status != status {
			condition.Status, condition.LastTransitionTime = status, now
		}
	})
}

// setUnready makes the pod unready until it is called with false.
func (k *kubelets) setUnready(uid types.UID, unready bool) {
	if c := k.containers[uid]; c != nil {
		c.unready = unready
		k.refresh(uid)
	}
}

// hold keeps the pod from ending when deleted, until it is called with false.
func (k *kubelets) hold(uid types.UID, held bool) {
	c := k.containers[uid]
	if c == nil {
		return
	}
	c.held = held
	if !held && c.ending {
		c.ending = false
		k.end(uid)
	}
}

// finish ends the pod in the given phase, without anybody having deleted it.
func (k *kubelets) finish(uid types.UID, phase corev1.PodPhase) {
	if pod := k.runningPod(uid); pod != nil {
		k.setStatus(pod, phase, false)
	}
}

// loseSight makes the readiness of a node's pods Unknown, as the node lifecycle controller does when their kubelet reports nothing.
func (k *kubelets) loseSight(node string) {
	k.goDown(node)
	for _, pod := range k.api.pods() {
		if pod.Spec.NodeName != node || history.Ready(pod) == nil {
			continue
		}
		k.api.updatePod(pod.Name, func(pod *corev1.Pod) {
			ready := history.Ready(pod)
			ready.Status, ready.LastTransitionTime = corev1.ConditionUnknown, k.wholeSecond()
		})
	}
}

// regainSight is the end of it.
func (k *kubelets) regainSight(node string) {
	k.resume(node)
	for _, pod := range k.api.pods() {
		if pod.Spec.NodeName == node {
			k.refresh(pod.UID)
		}
	}
}

// becomeKind brings every node up and lets every pod start, become ready and end.
func (k *kubelets) becomeKind() {
	k.kind = true
	for _, node := range k.api.nodes() {
		k.resume(node.Name)
	}
	for _, pod := range k.api.pods() {
		if c := k.containers[pod.UID]; c != nil && c.image == "" && len(pod.Status.ContainerStatuses) > 0 {
			k.run(pod.UID)
		}
		k.setUnready(pod.UID, false)
		k.hold(pod.UID, false)
	}
}
