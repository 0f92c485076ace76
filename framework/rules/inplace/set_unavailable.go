package inplace

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// SetCounts is INPLACE-033: pods that were patched count as unavailable, for the next update and in the status.
func SetCounts() judge.Rule {
	return judge.Rule{
		Requirement: "INPLACE-033",
		Kind:        judge.Prohibition,
		Promise:     "a pod of a StatefulSet that was patched counts as unavailable until its new containers run and it has been Ready for minReadySeconds",
		Needs:       setNeeds(),
		Situations:  actingOnSets(),
		New: func(header history.Header) judge.Observer {
			return &setCounts{sets: newSets(header), patched: map[types.UID]time.Time{}, begun: map[types.UID]bool{}, gone: map[types.UID][]time.Time{}}
		},
	}
}

type setCounts struct {
	judge.Exercise
	sets
	// patched are the pods that the implementation patched and that have not been available since, and when.
	patched map[types.UID]time.Time
	// begun are the StatefulSets of which it has patched any.
	begun map[types.UID]bool
	// gone is when pods went, by their StatefulSet: a status may still count them.
	gone map[types.UID][]time.Time
}

// Observe implements judge.Observer.
func (o *setCounts) Observe(s *judge.Scene) []judge.Violation {
	o.learn(s)
	o.forget(s)
	if pod, isPod := s.Change.Object.(*corev1.Pod); isPod && s.Change.Type == watch.Deleted {
		o.gone[ownerUID(pod)] = append(o.gone[ownerUID(pod)], s.Now)
	}
	if object, isSet := s.Change.Object.(*appsv1.StatefulSet); isSet {
		return o.reported(s, object)
	}
	did := o.act(s)
	if did == nil {
		return nil
	}
	var violations []judge.Violation
	if did.updates(s) && available(s, did.set, did.before) && did.set.always(s, rolls) {
		if o.begun[did.set.now.UID] {
			o.PutToTest()
		}
		violations = o.limit(s, did)
	}
	if did.patched {
		o.patched[did.before.UID], o.begun[did.set.now.UID] = s.Now, true
	}
	return violations
}

// forget drops the pods that are available again, or no more.
func (o *setCounts) forget(s *judge.Scene) {
	for uid := range o.patched {
		pod := s.Cluster.Pods[uid]
		if pod == nil {
			delete(o.patched, uid)
			continue
		}
		if known := o.known[ownerUID(pod)]; known == nil || available(s, known, pod) {
			delete(o.patched, uid)
		}
	}
}

// limit judges an update of an available pod by the pods with larger ordinals that are not back.
func (o *setCounts) limit(s *judge.Scene, did *setAct) []judge.Violation {
	limit := 1
	for is := range did.set.recent(s) {
		limit = max(limit, unavailableLimit(is))
	}
	var out []*corev1.Pod
	for _, pod := range did.above(s) {
		if _, restarting := o.patched[pod.UID]; restarting {
			out = append(out, pod)
		}
	}
	if len(out) < limit {
		return nil
	}
	return did.violation(s, fmt.Sprintf("%s %s while %s, which was patched, is not back", did.before.Name, did.verb(), out[0].Name))
}

// reported judges what the status says of pods that were patched long enough ago to have been counted.
func (o *setCounts) reported(s *judge.Scene, is *appsv1.StatefulSet) []judge.Violation {
	before, existed := s.Change.Before.(*appsv1.StatefulSet)
	if !existed || s.Change.Type == watch.Deleted || is.Status.AvailableReplicas <= before.Status.AvailableReplicas || !s.ByImplementation() {
		return nil
	}
	pods, missing := int32(0), (*corev1.Pod)(nil)
	for _, pod := range s.Cluster.Pods {
		if !metav1.IsControlledBy(pod, is) {
			continue
		}
		if at, restarting := o.patched[pod.UID]; restarting && !s.Lately(at) {
			missing = pod
			continue
		}
		pods++
	}
	if missing == nil {
		return nil
	}
	for _, at := range o.gone[is.UID] {
		if s.Lately(at) {
			pods++
		}
	}
	o.PutToTest()
	if is.Status.AvailableReplicas <= pods {
		return nil
	}
	return []judge.Violation{{
		Node: history.NodeOf(missing), Window: s.ThisEntry(),
		Got: fmt.Sprintf("availableReplicas %d, where %d can be: %s was patched and is not back", is.Status.AvailableReplicas, pods, missing.Name),
	}}
}

// available reports whether the pod is, by the least that the implementation may go by.
func available(s *judge.Scene, known *set, pod *corev1.Pod) bool {
	minReady := known.now.Spec.MinReadySeconds
	for is := range known.recent(s) {
		minReady = min(minReady, is.Spec.MinReadySeconds)
	}
	return history.IsAvailable(pod, minReady, s.Now)
}

// unavailableLimit is maxUnavailable in numbers of pods; 1 if the StatefulSet does not say.
func unavailableLimit(is *appsv1.StatefulSet) int {
	rolling := is.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || rolling.MaxUnavailable == nil || is.Spec.Replicas == nil {
		return 1
	}
	limit, err := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, int(*is.Spec.Replicas), true)
	if err != nil {
		return 1
	}
	return limit
}

func ownerUID(pod *corev1.Pod) types.UID {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		return owner.UID
	}
	return ""
}
