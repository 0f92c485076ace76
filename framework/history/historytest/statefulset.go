package historytest

import (
	"encoding/json"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// StatefulSet is a StatefulSet of the history. Its versions differ in the tag of the image, "v1" being the first.
type StatefulSet struct {
	b      *Builder
	object *appsv1.StatefulSet
}

// SetOption is a StatefulSet's setting. The default is RollingUpdate.
type SetOption func(*appsv1.StatefulSet)

// SetInPlace makes the StatefulSet ask for updates in place.
func SetInPlace() SetOption {
	return func(object *appsv1.StatefulSet) {
		policy := history.DefaultUpdatePolicy()
		metav1.SetMetaDataAnnotation(&object.ObjectMeta, policy.Annotation, policy.InPlaceIfPossible)
	}
}

// SetOnDelete sets the strategy.
func SetOnDelete() SetOption {
	return func(object *appsv1.StatefulSet) {
		object.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	}
}

// SetPartition sets the partition of the rolling update.
func SetPartition(partition int32) SetOption {
	return func(object *appsv1.StatefulSet) {
		object.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: &partition}
	}
}

// SetMinReadySeconds sets minReadySeconds.
func SetMinReadySeconds(seconds int32) SetOption {
	return func(object *appsv1.StatefulSet) { object.Spec.MinReadySeconds = seconds }
}

// SetVersion sets the image's tag, which makes another revision.
func SetVersion(version string) SetOption {
	return func(object *appsv1.StatefulSet) {
		object.Spec.Template.Spec.Containers[0].Image = image(object.Name, version)
	}
}

// StatefulSet creates a StatefulSet at version "v1" with that many replicas.
func (b *Builder) StatefulSet(name string, replicas int32, options ...SetOption) *StatefulSet {
	object := &appsv1.StatefulSet{ObjectMeta: b.meta(history.KindStatefulSet, name)}
	object.Generation = 1
	object.Spec.Replicas = &replicas
	object.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	object.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "member", Image: image(name, "v1")}}},
	}
	object.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType}
	for _, option := range options {
		option(object)
	}
	b.event(history.KindStatefulSet, watch.Added, object)
	return &StatefulSet{b: b, object: object}
}

// Set changes the spec.
func (s *StatefulSet) Set(options ...SetOption) *StatefulSet {
	for _, option := range options {
		option(s.object)
	}
	s.object.Generation++
	s.b.event(history.KindStatefulSet, watch.Modified, s.object)
	return s
}

// Status changes the status.
func (s *StatefulSet) Status(edit func(*appsv1.StatefulSetStatus)) *StatefulSet {
	edit(&s.object.Status)
	s.b.event(history.KindStatefulSet, watch.Modified, s.object)
	return s
}

// Pod creates the pod with the ordinal, of the version in force, on the node.
func (s *StatefulSet) Pod(ordinal int, node string) *Pod {
	template := s.object.Spec.Template.DeepCopy()
	version := template.Spec.Containers[0].Image[len(image(s.object.Name, "")):]
	object := &corev1.Pod{ObjectMeta: s.b.meta(history.KindPod, s.object.Name+"-"+strconv.Itoa(ordinal)), Spec: template.Spec}
	object.Labels = template.Labels
	metav1.SetMetaDataLabel(&object.ObjectMeta, RevisionLabel, version)
	object.OwnerReferences = s.owner()
	return s.b.create(object, node)
}

// Revision creates the ControllerRevision that holds the version's template; its name is the version.
func (s *StatefulSet) Revision(version string, number int64) *Revision {
	holder := s.object.DeepCopy()
	SetVersion(version)(holder)
	template, err := json.Marshal(map[string]any{"spec": map[string]any{"template": holder.Spec.Template}})
	if err != nil {
		s.b.t.Fatalf("encode the template: %v", err)
	}
	object := &appsv1.ControllerRevision{ObjectMeta: s.b.meta(history.KindControllerRevision, version), Revision: number}
	object.OwnerReferences = s.owner()
	object.Data = runtime.RawExtension{Raw: template}
	s.b.event(history.KindControllerRevision, watch.Added, object)
	return &Revision{b: s.b, object: object}
}

func (s *StatefulSet) owner() []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(s.object, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
}

func (s *StatefulSet) subject() history.Stimulus {
	return history.Stimulus{Kind: history.KindStatefulSet, Namespace: Namespace, Name: s.object.Name, UID: s.object.UID}
}
