package inplace

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// sets remembers StatefulSets, and what their pods were made of. It is a part of observers.
type sets struct {
	header history.Header
	known  map[types.UID]*set
	// ran is when a pod's phase became Running.
	ran  map[types.UID]time.Time
	lost lostHistories
}

// set is one StatefulSet.
type set struct {
	now *appsv1.StatefulSet
	// past are the StatefulSet as it was before, the latest last, and until when.
	past []pastSet
	// templates are all that it had.
	templates []*corev1.PodTemplateSpec
}

type pastSet struct {
	*appsv1.StatefulSet
	until time.Time
}

func newSets(header history.Header) sets {
	return sets{header: header, known: map[types.UID]*set{}, ran: map[types.UID]time.Time{}}
}

// setNeeds are the kinds that decide what may be done to the pods of StatefulSets.
func setNeeds() []history.Kind { return []history.Kind{history.KindPod, history.KindStatefulSet} }

// learn takes a step in. Call it before anything else is asked.
func (o *sets) learn(s *judge.Scene) {
	o.lost.see(s)
	switch object := s.Change.Object.(type) {
	case *appsv1.StatefulSet:
		if s.Change.Type == watch.Deleted {
			delete(o.known, object.UID)
			return
		}
		o.learnSet(object, s.Now)
	case *corev1.Pod:
		if _, seen := o.ran[object.UID]; !seen && object.Status.Phase == corev1.PodRunning {
			o.ran[object.UID] = s.Now
		}
	}
}

func (o *sets) learnSet(object *appsv1.StatefulSet, now time.Time) {
	known := o.known[object.UID]
	if known == nil {
		known = &set{now: object}
		o.known[object.UID] = known
	}
	if known.now.Generation != object.Generation || o.inPlace(known.now) != o.inPlace(object) {
		known.past = append(known.past, pastSet{known.now, now})
	}
	known.now = object
	is := func(other *corev1.PodTemplateSpec) bool { return history.SameTemplate(other, &object.Spec.Template) }
	if !slices.ContainsFunc(known.templates, is) {
		known.templates = append(known.templates, &object.Spec.Template)
	}
}

// inPlace reports whether the StatefulSet asks for updates in place.
func (o *sets) inPlace(object *appsv1.StatefulSet) bool { return o.header.UpdatesInPlace(object) }

// recent yields the StatefulSet as it is, and as it was until less than judge.Lag ago: the implementation may be acting by any of them.
func (s *set) recent(scene *judge.Scene) iter.Seq[*appsv1.StatefulSet] {
	return func(yield func(*appsv1.StatefulSet) bool) {
		if !yield(s.now) {
			return
		}
		for _, past := range s.past {
			if scene.Lately(past.until) && !yield(past.StatefulSet) {
				return
			}
		}
	}
}

// always reports whether the property is true of the StatefulSet by whichever state the implementation may be acting.
func (s *set) always(scene *judge.Scene, property func(*appsv1.StatefulSet) bool) bool {
	for is := range s.recent(scene) {
		if !property(is) {
			return false
		}
	}
	return true
}

// setAct is what the implementation did to a pod that the StatefulSet asks for.
type setAct struct {
	set           *set
	before, after *corev1.Pod
	ordinal       int
	// patched: containers got other images, be they init containers. Else the pod was deleted.
	patched bool
}

// act returns what the implementation did in this step to a live pod of a StatefulSet; nil if nothing.
func (o *sets) act(s *judge.Scene) *setAct {
	after, isPod := s.Change.Object.(*corev1.Pod)
	before, _ := s.Change.Before.(*corev1.Pod)
	if !isPod || before == nil || !history.IsLive(before) {
		return nil
	}
	owner := metav1.GetControllerOf(before)
	if owner == nil || o.known[owner.UID] == nil || o.known[owner.UID].now.DeletionTimestamp != nil {
		return nil
	}
	did := &setAct{set: o.known[owner.UID], before: before, after: after, ordinal: ordinalOf(before)}
	if !did.set.always(s, func(is *appsv1.StatefulSet) bool { return asksFor(is, did.ordinal) }) {
		return nil
	}
	if s.Change.Type == watch.Deleted || after.DeletionTimestamp != nil {
		if !s.DeletedByImplementation(before) {
			return nil
		}
		return did
	}
	did.patched = true
	if !history.ImagesDiffer(before, after) && !history.InitImagesDiffer(before, after) || !s.ChangedByImplementation(before) {
		return nil
	}
	return did
}

// updates reports whether this can only be a part of an update: other images, or the end of a pod that was none of the template, whichever the
// implementation may have gone by.
func (a *setAct) updates(s *judge.Scene) bool {
	return a.patched || a.outdated(s)
}

// outdated reports whether the pod was none of the template, whichever the implementation may have gone by.
func (a *setAct) outdated(s *judge.Scene) bool {
	return a.set.always(s, func(is *appsv1.StatefulSet) bool { return !s.Cluster.Matches(a.before, &is.Spec.Template) })
}

// above returns the pods with larger ordinals that the StatefulSet asks for.
func (a *setAct) above(s *judge.Scene) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range s.Cluster.Pods {
		if metav1.IsControlledBy(pod, a.set.now) && ordinalOf(pod) > a.ordinal && asksFor(a.set.now, ordinalOf(pod)) {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}

func (a *setAct) verb() string {
	if a.patched {
		return "patched"
	}
	return "deleted"
}

func (a *setAct) violation(s *judge.Scene, got string) []judge.Violation {
	return []judge.Violation{{Node: history.NodeOf(a.before), Got: got, Window: s.ThisEntry()}}
}

// ordinalOf is the ordinal in the pod's name; -1 if there is none.
func ordinalOf(pod *corev1.Pod) int {
	number, err := strconv.Atoi(pod.Name[strings.LastIndex(pod.Name, "-")+1:])
	if err != nil {
		return -1
	}
	return number
}

// firstOf is the first ordinal.
func firstOf(is *appsv1.StatefulSet) int {
	if is.Spec.Ordinals == nil {
		return 0
	}
	return int(is.Spec.Ordinals.Start)
}

// asksFor reports whether the StatefulSet asks for a pod with that ordinal.
func asksFor(is *appsv1.StatefulSet, ordinal int) bool {
	first, count := firstOf(is), 1
	if is.Spec.Replicas != nil {
		count = int(*is.Spec.Replicas)
	}
	return ordinal >= first && ordinal < first+count
}

func rolls(is *appsv1.StatefulSet) bool {
	return is.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType
}

func partitionOf(is *appsv1.StatefulSet) int {
	if rolling := is.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil {
		return int(*rolling.Partition)
	}
	return 0
}
