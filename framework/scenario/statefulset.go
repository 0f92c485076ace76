package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// SetEdit is one change to a StatefulSet, with the words in which the recording tells it.
type SetEdit = EditOf[appsv1.StatefulSet]

// Parallel has the pods created all at once, instead of one after the other.
func Parallel() SetEdit {
	return SetEdit{"pods in parallel", func(set *appsv1.StatefulSet) { set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement }}
}

// Partition has updates concern pods from that ordinal on.
func Partition(ordinal int32) SetEdit {
	return SetEdit{fmt.Sprintf("partition %d", ordinal), func(set *appsv1.StatefulSet) {
		set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: &ordinal}
	}}
}

// Replicas has that many pods.
func Replicas(count int32) SetEdit {
	return SetEdit{fmt.Sprintf("%d replicas", count), func(set *appsv1.StatefulSet) { set.Spec.Replicas = &count }}
}

// OrdinalsFrom has the pods' ordinals begin with that one.
func OrdinalsFrom(start int32) SetEdit {
	return SetEdit{fmt.Sprintf("ordinals from %d", start), func(set *appsv1.StatefulSet) { set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: start} }}
}

// HistoryLimit keeps that many revisions of which there is no pod.
func HistoryLimit(count int32) SetEdit {
	return SetEdit{fmt.Sprintf("revisionHistoryLimit %d", count), func(set *appsv1.StatefulSet) { set.Spec.RevisionHistoryLimit = &count }}
}

// SetOnDelete sets the update strategy OnDelete.
func SetOnDelete() SetEdit {
	return SetEdit{"strategy OnDelete", func(set *appsv1.StatefulSet) {
		set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	}}
}

// ClaimsOn gives each pod a claim of a volume, and puts all of them on the node. No scheduler looks at them: it would wait for volumes, which simulated nodes
// do not need.
func ClaimsOn(node string) SetEdit {
	return SetEdit{"with claims", func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.NodeName = node
		set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Mi")}},
			},
		}}
	}}
}

// OfPods makes edits of DaemonSets edits of a StatefulSet: of its template, its annotations and minReadySeconds, which are the same.
func OfPods(edits ...Edit) SetEdit {
	return SetEdit{words(edits), func(set *appsv1.StatefulSet) {
		like := &appsv1.DaemonSet{ObjectMeta: set.ObjectMeta, Spec: appsv1.DaemonSetSpec{
			Template: set.Spec.Template, MinReadySeconds: set.Spec.MinReadySeconds,
		}}
		apply(edits)(like)
		set.ObjectMeta, set.Spec.Template, set.Spec.MinReadySeconds = like.ObjectMeta, like.Spec.Template, like.Spec.MinReadySeconds
	}}
}

// CreateStatefulSet creates a StatefulSet, whose pods run on the scenario's nodes.
func (s *Scenario) CreateStatefulSet(ctx context.Context, name string, replicas int32, edits ...SetEdit) *appsv1.StatefulSet {
	s.tb.Helper()
	like := s.NewDaemonSet(name)
	set := &appsv1.StatefulSet{
		ObjectMeta: like.ObjectMeta,
		Spec:       appsv1.StatefulSetSpec{Replicas: &replicas, Selector: like.Spec.Selector, Template: like.Spec.Template},
	}
	apply(edits)(set)
	stimulus := s.onScaled(history.CreateWorkload, Scaled{Kind: history.KindStatefulSet, Name: name})
	stimulus.Detail = fmt.Sprintf("%d replicas, %s", replicas, words(edits))
	err := s.Do(ctx, stimulus, func(ctx context.Context) (err error) {
		set, err = s.client.AppsV1().StatefulSets(s.namespace).Create(ctx, set, metav1.CreateOptions{})
		return err
	})
	s.must(err, "create StatefulSet %s", name)
	return set
}

// DeployStatefulSets creates StatefulSets, by name, and waits until they are rolled out.
func (s *Scenario) DeployStatefulSets(ctx context.Context, replicas int32, sets map[string][]SetEdit) {
	s.tb.Helper()
	for name, edits := range ByName(sets) {
		s.CreateStatefulSet(ctx, name, replicas, edits...)
	}
	s.Require(ctx, "the first pods of the StatefulSets are available", state.StatefulSetsRolledOut(slices.Collect(maps.Keys(sets))...))
}

// UpdateStatefulSet edits the StatefulSet of that name, and returns when the recording shows it.
func (s *Scenario) UpdateStatefulSet(ctx context.Context, name string, edits ...SetEdit) {
	s.tb.Helper()
	sets := s.client.AppsV1().StatefulSets(s.namespace)
	stimulus := edited(s.onScaled(history.UpdateWorkload, Scaled{Kind: history.KindStatefulSet, Name: name}), edits)
	updated, err := rewrite(ctx, s, stimulus, sets, apply(edits), sets.Update)
	s.must(err, "update StatefulSet %s (%s)", name, words(edits))
	s.Require(ctx, "the recording shows the change", state.When("StatefulSet "+name+" is as it was changed", func(cluster *history.Cluster) bool {
		for _, object := range cluster.Objects(history.KindStatefulSet) {
			if now, isSet := object.(*appsv1.StatefulSet); isSet && now.UID == updated.UID {
				return now.Generation >= updated.Generation
			}
		}
		return false
	}))
}

// MembersOf returns the live pods of the StatefulSet of that name that have all the traits, by name.
func (s *Scenario) MembersOf(ctx context.Context, set string, traits ...Trait) []*corev1.Pod {
	s.tb.Helper()
	return s.PodsOf(ctx, Scaled{Name: set}, traits...)
}

// MemberIs holds when the StatefulSet of that name has a live pod with the ordinal and all the traits.
func MemberIs(set string, ordinal int, what string, traits ...Trait) Condition {
	name := fmt.Sprintf("%s-%d", set, ordinal)
	return state.When("pod "+name+" "+what, func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if pod.Name == name && history.IsLive(pod) && hasAll(pod, traits) {
				return true
			}
		}
		return false
	})
}

// Waiting is the trait of a container that waits to be started.
func Waiting(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool { return status.State.Waiting != nil })
}

// OfTag is the trait of a first container whose image has the tag.
func OfTag(tag string) Trait {
	return func(pod *corev1.Pod) bool { return history.HasTag(&pod.Spec, tag) }
}
