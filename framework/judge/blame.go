package judge

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// blame tells the implementation's acts from everybody else's: the harness's (stimuli), and those of the pod garbage collector, the taint
// manager, the scheduler's preemption and the kubelet. Whom it cannot tell apart it does not blame.
type blame struct {
	start time.Time
	// deleted are the acts by which the harness deletes an object, by its UID; scopes what else it deletes.
	deleted map[types.UID][]int
	scopes  []scope
	// used is the UID of an object that went in the last step: what excused that is used up.
	used types.UID
	// created are the names of objects that the harness creates.
	created map[string]bool
	// nodeLeft is when a node was last deleted.
	nodeLeft map[string]time.Time
	// leaving are the DaemonSets that are being deleted, or are gone: the garbage collector deletes what names one of them as an owner, as its controller or not.
	leaving map[types.UID]bool
	// untainted are the NoExecute taints that a node had until a time.
	untainted map[string][]formerTaint
}

type formerTaint struct {
	corev1.Taint
	until time.Time
}

// scope is a deletion by the harness of more than one object, or of one that it named without UID.
type scope struct {
	number          int
	kind            history.Kind
	namespace, name string
	node            string
	at              time.Time
}

func newBlame(start time.Time) blame {
	return blame{
		start: start, deleted: map[types.UID][]int{}, created: map[string]bool{}, nodeLeft: map[string]time.Time{},
		leaving: map[types.UID]bool{}, untainted: map[string][]formerTaint{},
	}
}

func (b *blame) stimulus(entry history.Entry, now time.Time) {
	s := entry.Stimulus
	if s.Act.Creates() {
		b.created[string(s.Kind)+"/"+s.Namespace+"/"+s.Name] = true
	}
	if !s.Act.MayDelete() {
		return
	}
	switch {
	case s.Kind == history.KindNode:
		b.scopes = append(b.scopes, scope{number: s.Number, kind: history.KindPod, node: s.Name, at: now})
	case s.Kind == history.KindNamespace:
		b.scopes = append(b.scopes, scope{number: s.Number, namespace: s.Name, at: now})
	case s.UID != "":
		b.deleted[s.UID] = append(b.deleted[s.UID], s.Number)
	case s.Kind == "" && s.Node != "":
		b.scopes = append(b.scopes, scope{number: s.Number, kind: history.KindPod, node: s.Node, at: now})
	default:
		b.scopes = append(b.scopes, scope{number: s.Number, kind: s.Kind, namespace: s.Namespace, name: s.Name, at: now})
	}
}

// refused takes the act's excuses back: it caused nothing, and excuses nothing from now on.
func (b *blame) refused(number int) {
	for uid, numbers := range b.deleted {
		b.deleted[uid] = slices.DeleteFunc(numbers, func(other int) bool { return other == number })
	}
	b.scopes = slices.DeleteFunc(b.scopes, func(s scope) bool { return s.number == number })
}

// forget drops the excuses for an object that went in the step before.
func (b *blame) forget() {
	if b.used != "" {
		delete(b.deleted, b.used)
		b.used = ""
	}
}

// covers reports whether the deletion reaches the object: a collection as it is when the request arrives, a namespace for good.
func (s scope) covers(kind history.Kind, object metav1.Object, node string) bool {
	if s.kind == "" {
		return s.namespace == object.GetNamespace()
	}
	if s.kind != kind || object.GetCreationTimestamp().After(s.at.Add(Lag)) {
		return false
	}
	if s.node != "" {
		return s.node == node
	}
	return (s.namespace == "" || s.namespace == object.GetNamespace()) && (s.name == "" || s.name == object.GetName())
}

func (b *blame) node(change history.Change, node *corev1.Node, now time.Time) {
	if change.Type == watch.Deleted {
		b.nodeLeft[node.Name] = now
	}
	before, ok := change.Before.(*corev1.Node)
	if !ok {
		return
	}
	for _, taint := range before.Spec.Taints {
		if taint.Effect == corev1.TaintEffectNoExecute && !slices.Contains(node.Spec.Taints, taint) {
			b.untainted[node.Name] = append(b.untainted[node.Name], formerTaint{Taint: taint, until: now})
		}
	}
}

func (b *blame) daemonSet(change history.Change, object *appsv1.DaemonSet) {
	if change.Type == watch.Deleted || object.DeletionTimestamp != nil {
		b.leaving[object.UID] = true
	}
}

// isCollected reports whether the garbage collector may have deleted the object.
func (b *blame) isCollected(object metav1.Object) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return b.leaving[owner.UID] })
}

// harnessDeletes reports whether the harness set out to delete the object.
func (b *blame) harnessDeletes(kind history.Kind, object metav1.Object, node string) bool {
	return len(b.deleted[object.GetUID()]) > 0 ||
		slices.ContainsFunc(b.scopes, func(s scope) bool { return s.covers(kind, object, node) })
}

// harnessCreated reports whether the pod is the harness's, or was there before the recording began.
func (b *blame) harnessCreated(pod *corev1.Pod) bool {
	return pod.CreationTimestamp.Time.Before(b.start.Truncate(time.Second)) ||
		b.created[string(history.KindPod)+"/"+pod.Namespace+"/"+pod.Name]
}

// creates reports whether the pod, added by this event, is the implementation's.
func (b *blame) creates(entry history.Entry, pod *corev1.Pod) bool {
	return byImplementation(entry, func() bool { return !b.harnessCreated(pod) })
}

// deletes reports whether the pod's deletion, by this event, is the implementation's act.
func (b *blame) deletes(before *corev1.Pod, change history.Change, cluster *history.Cluster, now time.Time) bool {
	deleted, ok := change.Object.(*corev1.Pod)
	return ok && byImplementation(change.Entry, func() bool { return b.implementation(before, deleted, cluster, now) })
}

// implementation reports whether the pod's deletion can only be the implementation's act.
func (b *blame) implementation(before, deleted *corev1.Pod, cluster *history.Cluster, now time.Time) bool {
	name := history.NodeOf(before)
	node := cluster.Nodes[name]
	if node == nil || node.DeletionTimestamp != nil {
		return false
	}
	if left, ok := b.nodeLeft[name]; ok && !left.Before(before.CreationTimestamp.Time) {
		return false
	}
	return !b.harnessDeletes(history.KindPod, before, name) && !b.evictedByTaint(before, node, now) && !b.isCollected(before) && !disrupted(deleted)
}

// evictedByTaint reports whether the taint manager may have deleted the pod: it does not tolerate a NoExecute taint for good.
func (b *blame) evictedByTaint(pod *corev1.Pod, node *corev1.Node, now time.Time) bool {
	tolerates := func(taint corev1.Taint) bool {
		return slices.ContainsFunc(pod.Spec.Tolerations, func(toleration corev1.Toleration) bool {
			return toleration.TolerationSeconds == nil && toleration.ToleratesTaint(klog.Background(), &taint, false)
		})
	}
	for _, taint := range node.Spec.Taints {
		if taint.Effect == corev1.TaintEffectNoExecute && !tolerates(taint) {
			return true
		}
	}
	for _, former := range b.untainted[node.Name] {
		if now.Sub(former.until) < Lag && !tolerates(former.Taint) {
			return true
		}
	}
	return false
}

// disrupted reports whether the pod says that somebody else deleted it. The eviction API does not tell who used it.
func disrupted(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			return slices.Contains([]string{
				corev1.PodReasonTerminationByKubelet, corev1.PodReasonPreemptionByScheduler, "DeletionByTaintManager", "DeletionByPodGC",
			}, condition.Reason)
		}
	}
	return false
}
