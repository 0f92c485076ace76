package judge

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Adopts reports whether the DaemonSet may adopt the object while it is not being deleted: it is in the namespace, has no controller, and the selector matches it.
func (w *Workload) Adopts(object metav1.Object) bool {
	if object.GetNamespace() != w.Object.Namespace || metav1.GetControllerOfNoCopy(object) != nil {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(w.Object.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(object.GetLabels()))
}

// OrphanLeaving reports whether a pod is on the node that the DaemonSet could have adopted, had it not been deleted before. With maxSurge 0 another may come in its
// place only when it is gone or has ended (HISTORY-026, DRAIN-003).
func (s *Scene) OrphanLeaving(w *Workload, node *Node) bool {
	for _, pod := range s.Cluster.Pods {
		if pod.DeletionTimestamp != nil && !history.IsTerminal(pod) && history.NodeOf(pod) == node.Name && w.Adopts(pod) {
			return true
		}
	}
	return false
}

// orphan takes note that a pod that nobody controls has changed: a DaemonSet may have to wait for it, or have waited.
func (m *memory) orphan(scene *Scene, pod *corev1.Pod) {
	for _, workload := range m.workloads {
		if node := workload.Nodes[history.NodeOf(pod)]; node != nil && workload.Adopts(pod) {
			scene.touched = append(scene.touched, touch{workload, node})
			m.woken = append(m.woken, workload)
		}
	}
}
