package simulation

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// scheduler binds each pod to the node that it is pinned to, once that node lets it.
type scheduler struct {
	clock  *clock
	api    *apiServer
	chance chance
	// full are the nodes without room, with what is said of them.
	full map[string]string
}

func newScheduler(clock *clock, api *apiServer, chance chance) *scheduler {
	s := &scheduler{clock: clock, api: api, chance: chance, full: map[string]string{}}
	api.watchers = append(api.watchers, s.watch)
	return s
}

func (s *scheduler) watch(entry history.Entry) {
	switch object := entry.Object.(type) {
	case *corev1.Node:
		if entry.Type == watch.Deleted {
			return
		}
		for _, pod := range s.api.pods() {
			if pod.Spec.NodeName == "" && history.NodeOf(pod) == object.Name {
				s.consider(pod)
			}
		}
	case *corev1.Pod:
		if entry.Type == watch.Added && object.Spec.NodeName == "" {
			s.consider(object)
		}
	}
}

func (s *scheduler) consider(pod *corev1.Pod) {
	s.clock.after(s.chance.between(0, 500*time.Millisecond, "schedule", pod.Name), func() {
		now := s.api.pod(pod.Name)
		if now == nil || now.Spec.NodeName != "" || history.IsTerminal(now) {
			return
		}
		node := s.api.node(history.NodeOf(now))
		if node == nil || repels(node, now) {
			return
		}
		if words := s.full[node.Name]; words != "" {
			s.refuse(now, words)
			return
		}
		s.api.updatePod(pod.Name, func(pod *corev1.Pod) {
			pod.Spec.NodeName = node.Name
			pod.Status.Conditions = slices.DeleteFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled })
		})
	})
}

// refuse says of the pod why there is no place for it.
func (s *scheduler) refuse(pod *corev1.Pod, words string) {
	s.api.updatePod(pod.Name, func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: words,
			LastTransitionTime: metav1.NewTime(s.clock.now.Truncate(time.Second)),
		}}
	})
}

// makeRoom lets pods onto the node again.
func (s *scheduler) makeRoom(node string) {
	delete(s.full, node)
	for _, pod := range s.api.pods() {
		if pod.Spec.NodeName == "" && history.NodeOf(pod) == node {
			s.consider(pod)
		}
	}
}

func repels(node *corev1.Node, pod *corev1.Pod) bool {
	hard := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, hard, false)
	return untolerated
}
