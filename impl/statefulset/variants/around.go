package variants

import (
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// seeing has the planner see another state than there is.
func seeing(change func(*plan.State)) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			change(&state)
			return next(state, now)
		}
	}
}

// doing changes what the planner decided.
func doing(change func(*plan.Actions, plan.State, time.Time)) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions := next(state, now)
			change(&actions, state, now)
			return actions
		}
	}
}

// seeingSet has the planner see another StatefulSet than there is.
func seeingSet(change func(*appsv1.StatefulSet)) Around {
	return seeing(func(state *plan.State) {
		state.Set = state.Set.DeepCopy()
		change(state.Set)
	})
}

// forgetting has the planner see pods without the record of their update in place, where which says so.
func forgetting(which func(*corev1.Pod) bool) Around {
	return seeing(func(state *plan.State) {
		pods := make([]*corev1.Pod, len(state.Pods))
		for i, pod := range state.Pods {
			if pods[i] = pod; which(pod) {
				pods[i] = pod.DeepCopy()
				delete(pods[i].Annotations, inplace.Record)
			}
		}
		state.Pods = pods
	})
}

// unavailable returns the pods that cannot be counted on.
func unavailable(state plan.State, now time.Time) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range state.Pods {
		believed, _ := inplace.Believe(pod, now)
		if !daemons.IsAvailable(believed, state.Set.Spec.MinReadySeconds, now) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// patchTo returns the update of a pod in place to the template in force, whatever else differs.
func patchTo(state plan.State, pod *corev1.Pod, revision string, now time.Time) plan.PodUpdate {
	images := inplace.Images(pod, nil, &state.Set.Spec.Template)
	// What is made of a pod and names can be encoded.
	record, _ := inplace.RecordOf(pod, images, now)
	return plan.PodUpdate{
		Pod: pod, Images: images, Labels: map[string]string{plan.RevisionLabel: revision}, Annotations: map[string]string{inplace.Record: record},
	}
}

// ordinalOf is the number at the end of the pod's name; 0 if there is none.
func ordinalOf(pod *corev1.Pod) int {
	number, err := strconv.Atoi(pod.Name[strings.LastIndex(pod.Name, "-")+1:])
	if err != nil {
		return 0
	}
	return number
}

// partition is the StatefulSet's, as an ordinal.
func partition(set *appsv1.StatefulSet) int {
	rolling := set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || rolling.Partition == nil {
		return 0
	}
	return int(*rolling.Partition)
}

// lastOrdinal is the largest that the StatefulSet asks for.
func lastOrdinal(set *appsv1.StatefulSet) int {
	first := 0
	if set.Spec.Ordinals != nil {
		first = int(set.Spec.Ordinals.Start)
	}
	return first + int(ptr.Deref(set.Spec.Replicas, 1)) - 1
}

// makeReady makes the pod one that is Ready since then.
func makeReady(pod *corev1.Pod, since time.Time) {
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == corev1.PodReady {
			condition.Status, condition.LastTransitionTime = corev1.ConditionTrue, metav1.NewTime(since)
		}
	}
}
