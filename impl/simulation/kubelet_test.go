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

	daemons map[types.UID]*daemon
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

// daemon is what the kubelet knows of a pod beyond its status.
type daemon struct {
	pod     string
	unready bool
	// containers are those that run, by their names; none until they do. generation and images are those of the pod that its kubelet works by.
	containers map[string]*container
	generation int64
	images     []string
	// syncing is with how many containers its kubelet is not done yet since the pod was changed.
	syncing int
	// held pods do not end though deleted; ending is set if one should have by now.
	held, deleted, ending bool
}

func newKubelets(clock *clock, api *apiServer, chance chance, pace pace) *kubelets {
	k := &kubelets{
		clock: clock, api: api, chance: chance, pace: pace,
		daemons: map[types.UID]*daemon{}, down: map[string]bool{}, parked: map[string][]func(){},
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
			delete(k.daemons, object.UID)
			return
		}
		if object.Spec.NodeName == "" || len(object.Spec.Containers) == 0 {
			return
		}
		d := k.daemons[object.UID]
		if d == nil {
			d = &daemon{pod: object.Name, containers: map[string]*container{}}
			k.daemons[object.UID] = d
			k.do(object, 300*time.Millisecond, "pull", func() { k.run(object.UID) })
		}
		k.look(object)
		if object.DeletionTimestamp != nil && !d.deleted {
			d.deleted = true
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

// run starts the pod's containers.
func (k *kubelets) run(uid types.UID) {
	pod := k.runningPod(uid)
	if pod == nil {
		return
	}
	if !k.kind {
		if k.await(pod, pod.Spec.InitContainers, suffixLooping, "CrashLoopBackOff") || k.await(pod, pod.Spec.Containers, suffixMissing, "ErrImagePull") {
			return
		}
	}
	d := k.daemons[uid]
	d.see(pod)
	for _, container := range pod.Spec.Containers {
		d.begin(container, k.wholeSecond())
	}
	k.setStatus(pod, corev1.PodRunning, false)
	for _, container := range pod.Spec.Containers {
		k.start(pod, container.Name)
	}
}

// start makes a container of the pod ready after a while.
func (k *kubelets) start(pod *corev1.Pod, name string) {
	c := k.daemons[pod.UID].containers[name]
	within, restarts := k.pace.Start, c.restarts
	if strings.HasSuffix(c.image, suffixSlow) && !k.kind {
		within *= 10
	}
	k.do(pod, within, about("start", name), func() {
		if d := k.daemons[pod.UID]; d != nil && d.containers[name] == c && c.restarts == restarts {
			c.started = true
			k.refresh(pod.UID)
		}
	})
}

// refresh makes the pod's readiness what it should be.
func (k *kubelets) refresh(uid types.UID) {
	pod, d := k.runningPod(uid), k.daemons[uid]
	switch {
	case pod == nil || !d.started():
	case !k.kind && k.await(pod, pod.Spec.Containers, suffixLooping, "CrashLoopBackOff"):
	case d.runs(suffixCrashing) && !k.kind:
		k.setStatus(pod, corev1.PodFailed, false)
	case d.runs(suffixFinishing) && !k.kind:
		k.setStatus(pod, corev1.PodSucceeded, false)
	default:
		broken := d.runs(suffixBroken) && !k.kind
		k.setStatus(pod, corev1.PodRunning, !broken && !d.unready)
	}
}

// end finishes a deleted pod. Some kubelets report first that it has ended, others only that it is gone.
func (k *kubelets) end(uid types.UID) {
	d := k.daemons[uid]
	if d == nil {
		return
	}
	if d.held {
		d.ending = true
		return
	}
	pod := k.api.pod(d.pod)
	if !k.chance.percent(30, "reports its end", d.pod) {
		k.api.remove(history.KindPod, d.pod)
		return
	}
	phase := corev1.PodSucceeded
	if k.chance.percent(50, "ends badly", d.pod) {
		phase = corev1.PodFailed
	}
	if !history.IsTerminal(pod) {
		k.setStatus(pod, phase, false)
	}
	k.do(pod, 2*time.Second, "report", func() {
		if k.daemons[uid] == d {
			k.api.remove(history.KindPod, d.pod)
		}
	})
}

// runningPod returns the pod as it is, if it still runs or should.
func (k *kubelets) runningPod(uid types.UID) *corev1.Pod {
	d := k.daemons[uid]
	if d == nil {
		return nil
	}
	pod := k.api.pod(d.pod)
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
	if d := k.daemons[uid]; d != nil {
		d.unready = unready
		k.refresh(uid)
	}
}

// isUnready reports whether the pod was made not Ready, isHeld whether it is kept from ending.
func (k *kubelets) isUnready(uid types.UID) bool {
	return k.daemons[uid] != nil && k.daemons[uid].unready
}
func (k *kubelets) isHeld(uid types.UID) bool { return k.daemons[uid] != nil && k.daemons[uid].held }

// hold keeps the pod from ending when deleted, until it is called with false.
func (k *kubelets) hold(uid types.UID, held bool) {
	d := k.daemons[uid]
	if d == nil {
		return
	}
	d.held = held
	if !held && d.ending {
		d.ending = false
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
		if pod.Spec.NodeName == node {
			k.unknown(pod)
		}
	}
}

// loseReadiness makes the readiness of one pod Unknown, until setUnready is called with false.
func (k *kubelets) loseReadiness(pod *corev1.Pod) {
	k.setUnready(pod.UID, true)
	k.unknown(pod)
}

// unknown writes that nobody knows whether the pod is Ready, if anybody has said so far.
func (k *kubelets) unknown(pod *corev1.Pod) {
	if history.Ready(pod) == nil {
		return
	}
	k.api.updatePod(pod.Name, func(pod *corev1.Pod) {
		ready := history.Ready(pod)
		ready.Status, ready.LastTransitionTime = corev1.ConditionUnknown, k.wholeSecond()
	})
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
		if d := k.daemons[pod.UID]; d != nil && len(d.containers) == 0 && len(pod.Status.InitContainerStatuses)+len(pod.Status.ContainerStatuses) > 0 {
			k.run(pod.UID)
		}
		k.setUnready(pod.UID, false)
		k.hold(pod.UID, false)
	}
}
