package history

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// What follows are views of the objects that exist: what a reader wants to know of DaemonSets, their pods, revisions and nodes, kept up to date by every
// change of theirs. A kind without a view is in Objects all the same.

// view brings the views up to date with a change.
func (c *Cluster) view(change Change) {
	gone := change.Type == watch.Deleted
	switch object := change.Object.(type) {
	case *appsv1.DaemonSet:
		put(c.DaemonSets, object.UID, object, gone)
		before, _ := change.Before.(*appsv1.DaemonSet)
		if gone {
			c.forgetEligibility(object.UID)
		} else if !sameGeneration(before, object) && c.learnTemplate(object) {
			c.judgeAllNodes(object)
		}
	case *appsv1.StatefulSet:
		if !gone {
			learn(c.setTemplates, object.UID, &object.Spec.Template)
		}
	case *appsv1.ControllerRevision:
		if before, is := change.Before.(*appsv1.ControllerRevision); is {
			delete(c.decoded, before)
		}
		put(c.Revisions, object.UID, object, gone)
		c.learnLabel(object)
	case *corev1.Node:
		put(c.Nodes, object.Name, object, gone)
		before, _ := change.Before.(*corev1.Node)
		if before != nil && !gone && SameToScenario(before, object) {
			c.Changes--
		}
		c.judgeNode(before, object, gone)
	case *corev1.Pod:
		put(c.Pods, object.UID, object, gone)
		before, _ := change.Before.(*corev1.Pod)
		c.viewPod(before, object, gone)
	}
}

// controllerOf returns the controller that a pod had; nil if it had none, or there was no pod.
func controllerOf(before *corev1.Pod) *metav1.OwnerReference {
	if before == nil {
		return nil
	}
	return metav1.GetControllerOf(before)
}

func (c *Cluster) viewPod(before, pod *corev1.Pod, gone bool) {
	if before != nil {
		c.unlist(before)
	}
	if gone {
		// The last state's revision is still wanted by whoever looks at the change.
		return
	}
	c.list(pod)
	c.rememberMade(before, pod)
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		c.uncontrolled[pod.UID] = true
	} else if former := controllerOf(before); former == nil || former.UID != owner.UID {
		// Templates are counted for each DaemonSet.
		delete(c.revisionOf, pod.UID)
	}
	c.attribute(pod)
}

func put[K comparable, V Object](all map[K]V, key K, object V, gone bool) {
	if gone {
		delete(all, key)
	} else {
		all[key] = object
	}
}

// PodsOn returns the pods that the DaemonSet owns on the node, oldest first, whatever their phase.
func (c *Cluster) PodsOn(daemonSet types.UID, node string) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, 2)
	for _, pod := range c.podsOf[daemonSet][node] {
		pods = append(pods, pod)
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		if order := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
	return pods
}

// NodesOf returns the names of the nodes on which the DaemonSet owns at least one pod, sorted.
func (c *Cluster) NodesOf(daemonSet types.UID) []string {
	nodes := make([]string, 0, len(c.podsOf[daemonSet]))
	for node, pods := range c.podsOf[daemonSet] {
		if len(pods) > 0 {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// OwnerOf returns the DaemonSet that controls the pod, or nil if it has none or that is not (or no longer) recorded.
func (c *Cluster) OwnerOf(pod *corev1.Pod) *appsv1.DaemonSet {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return nil
	}
	return c.DaemonSets[owner.UID]
}

func (c *Cluster) list(pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	nodes := c.podsOf[owner.UID]
	if nodes == nil {
		nodes = map[string]map[types.UID]*corev1.Pod{}
		c.podsOf[owner.UID] = nodes
	}
	node := NodeOf(pod)
	if nodes[node] == nil {
		nodes[node] = map[types.UID]*corev1.Pod{}
	}
	nodes[node][pod.UID] = pod
}

func (c *Cluster) unlist(pod *corev1.Pod) {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		delete(c.podsOf[owner.UID][NodeOf(pod)], pod.UID)
	}
}
