package historytest

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// DaemonSet is a DaemonSet of the history. Its versions differ in the tag of the image, "v1" being the first.
type DaemonSet struct {
	b      *Builder
	object *appsv1.DaemonSet
}

// Option is a DaemonSet's setting. The default is RollingUpdate with maxUnavailable 1.
type Option func(*appsv1.DaemonSet)

// MaxSurge sets maxSurge, "1" or "30%", and maxUnavailable 0.
func MaxSurge(value string) Option { return Limits(value, "0") }

// MaxUnavailable sets maxUnavailable, "1" or "30%", and maxSurge 0.
func MaxUnavailable(value string) Option { return Limits("0", value) }

// Limits sets maxSurge and maxUnavailable.
func Limits(maxSurge, maxUnavailable string) Option {
	return func(object *appsv1.DaemonSet) {
		surge, unavailable := intstr.Parse(maxSurge), intstr.Parse(maxUnavailable)
		object.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
			Type:          appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &surge, MaxUnavailable: &unavailable},
		}
	}
}

// OnDelete sets the strategy.
func OnDelete() Option {
	return func(object *appsv1.DaemonSet) {
		object.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
	}
}

// MinReadySeconds sets minReadySeconds.
func MinReadySeconds(seconds int32) Option {
	return func(object *appsv1.DaemonSet) { object.Spec.MinReadySeconds = seconds }
}

// NodeSelector makes the template select nodes with the label.
func NodeSelector(key, value string) Option {
	return func(object *appsv1.DaemonSet) { object.Spec.Template.Spec.NodeSelector = map[string]string{key: value} }
}

// Version sets the image's tag, which makes another revision.
func Version(version string) Option {
	return func(object *appsv1.DaemonSet) {
		object.Spec.Template.Spec.Containers[0].Image = image(object.Name, version)
	}
}

func image(name, version string) string { return "registry.example/" + name + ":" + version }

// DaemonSet creates a DaemonSet at version "v1".
func (b *Builder) DaemonSet(name string, options ...Option) *DaemonSet {
	object := &appsv1.DaemonSet{ObjectMeta: b.meta(history.KindDaemonSet, name)}
	object.Generation = 1
	object.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	object.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "daemon", Image: image(name, "v1")}}},
	}
	MaxUnavailable("1")(object)
	for _, option := range options {
		option(object)
	}
	b.event(history.KindDaemonSet, watch.Added, object)
	return &DaemonSet{b: b, object: object}
}

// Update makes the version the one in force.
func (d *DaemonSet) Update(version string) *DaemonSet { return d.Set(Version(version)) }

// Set changes the spec.
func (d *DaemonSet) Set(options ...Option) *DaemonSet {
	for _, option := range options {
		option(d.object)
	}
	d.object.Generation++
	d.b.event(history.KindDaemonSet, watch.Modified, d.object)
	return d
}

// Status changes the status.
func (d *DaemonSet) Status(edit func(*appsv1.DaemonSetStatus)) *DaemonSet {
	edit(&d.object.Status)
	d.b.event(history.KindDaemonSet, watch.Modified, d.object)
	return d
}

// Counts sets the status' numbers of nodes, unavailable following from the others.
func (d *DaemonSet) Counts(desired, current, ready, available, updated int32) *DaemonSet {
	return d.Status(func(status *appsv1.DaemonSetStatus) {
		status.DesiredNumberScheduled, status.CurrentNumberScheduled = desired, current
		status.NumberReady, status.NumberAvailable, status.NumberUnavailable = ready, available, desired-available
		status.UpdatedNumberScheduled = updated
	})
}

// Observed sets the status' observedGeneration to the generation.
func (d *DaemonSet) Observed() *DaemonSet {
	return d.Status(func(status *appsv1.DaemonSetStatus) { status.ObservedGeneration = d.object.Generation })
}

// Terminating gives the DaemonSet a deletion timestamp.
func (d *DaemonSet) Terminating() *DaemonSet {
	now := metav1.NewTime(d.b.now)
	d.object.DeletionTimestamp = &now
	d.b.event(history.KindDaemonSet, watch.Modified, d.object)
	return d
}

// Gone deletes the DaemonSet.
func (d *DaemonSet) Gone() { d.b.event(history.KindDaemonSet, watch.Deleted, d.object) }

// Object returns a copy of the DaemonSet as it is now.
func (d *DaemonSet) Object() *appsv1.DaemonSet { return d.object.DeepCopy() }

func (d *DaemonSet) owner() []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(d.object, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
}

func (d *DaemonSet) subject() history.Stimulus {
	return history.Stimulus{Kind: history.KindDaemonSet, Namespace: Namespace, Name: d.object.Name, UID: d.object.UID}
}

// Revision is a ControllerRevision of the history.
type Revision struct {
	b      *Builder
	object *appsv1.ControllerRevision
}

// Revision creates the ControllerRevision that holds the version's template; its label's value is the version.
func (d *DaemonSet) Revision(version string, number int64) *Revision {
	holder := d.object.DeepCopy()
	Version(version)(holder)
	template, err := json.Marshal(map[string]any{"spec": map[string]any{"template": holder.Spec.Template}})
	if err != nil {
		d.b.t.Fatalf("encode the template: %v", err)
	}
	object := &appsv1.ControllerRevision{ObjectMeta: d.b.meta(history.KindControllerRevision, d.object.Name+"-"+version)}
	object.Labels = map[string]string{RevisionLabel: version}
	object.OwnerReferences = d.owner()
	object.Data = runtime.RawExtension{Raw: template}
	object.Revision = number
	d.b.event(history.KindControllerRevision, watch.Added, object)
	return &Revision{b: d.b, object: object}
}

// Edit changes the revision.
func (r *Revision) Edit(edit func(*appsv1.ControllerRevision)) *Revision {
	edit(r.object)
	r.b.event(history.KindControllerRevision, watch.Modified, r.object)
	return r
}

// Renumber changes the revision's number.
func (r *Revision) Renumber(number int64) *Revision {
	return r.Edit(func(revision *appsv1.ControllerRevision) { revision.Revision = number })
}

// Gone deletes the revision.
func (r *Revision) Gone() { r.b.event(history.KindControllerRevision, watch.Deleted, r.object) }

func (r *Revision) subject() history.Stimulus {
	return history.Stimulus{Kind: history.KindControllerRevision, Namespace: Namespace, Name: r.object.Name, UID: r.object.UID}
}
