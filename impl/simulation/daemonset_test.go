package simulation

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	shared "github.com/rollcall-conformance/rollcall/framework/schedule"
)

const (
	daemonSetName = "agent"
	// appLabel is what the DaemonSet selects its pods by.
	appLabel = "app"
	// poolLabel tells two halves of the nodes apart.
	poolLabel = "pool"
	// taintKey is the key of the only taint that nodes get here.
	taintKey = "keep-out"
)

// Images say how pods that run them behave, until the environment becomes kind.
const (
	// suffixSlow takes long to become ready.
	suffixSlow = "-slow"
	// suffixBroken never becomes ready.
	suffixBroken = "-broken"
	// suffixCrashing fails instead of becoming ready.
	suffixCrashing = "-crashing"
)

// image returns the image of the template's or pod's only container.
func image(spec *corev1.PodSpec) string { return spec.Containers[0].Image }

// specOf is the strategy as a DaemonSet has it.
func specOf(s strategy) appsv1.DaemonSetUpdateStrategy {
	if s.OnDelete {
		return appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
	}
	surge, unavailable := intstr.Parse(s.MaxSurge), intstr.Parse(s.MaxUnavailable)
	return appsv1.DaemonSetUpdateStrategy{
		Type:          appsv1.RollingUpdateDaemonSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &surge, MaxUnavailable: &unavailable},
	}
}

// newDaemonSet returns the DaemonSet as an API server would store it: version 1 of the template.
func newDaemonSet(s strategy, minReadySeconds, historyLimit int32) *appsv1.DaemonSet {
	labels := map[string]string{appLabel: daemonSetName}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: daemonSetName, Generation: 1,
			Annotations: map[string]string{appsv1.DeprecatedTemplateGeneration: "1"},
		},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers:  []corev1.Container{{Name: "daemon", Image: "daemon:v1"}},
					HostAliases: []corev1.HostAlias{{IP: "192.0.2.1", Hostnames: []string{"gateway"}}},
				},
			},
			UpdateStrategy:       specOf(s),
			MinReadySeconds:      minReadySeconds,
			RevisionHistoryLimit: &historyLimit,
		},
	}
}

// written writes a DaemonSet in the form of that name, and leaves it its own name, by which the simulation knows it.
func written(form string) func(*appsv1.DaemonSet) {
	found, _ := shared.FormOf(form)
	return func(ds *appsv1.DaemonSet) {
		found.Write(ds)
		ds.Name = daemonSetName
	}
}

// editDaemonSet changes the spec as apps/v1 does: the generation counts changes of the spec, an annotation those of the template.
func (a *apiServer) editDaemonSet(says string, edit func(*appsv1.DaemonSetSpec)) {
	ds := a.daemonSet()
	if ds == nil {
		return
	}
	a.note(history.Stimulus{
		Act: history.UpdateDaemonSet, Kind: history.KindDaemonSet, Namespace: namespace, Name: ds.Name, UID: ds.UID, Detail: says,
	})
	// The edit cannot fail and the DaemonSet exists.
	_ = a.update(history.KindDaemonSet, ds.Name, func(object history.Object) error {
		after := object.(*appsv1.DaemonSet)
		edit(&after.Spec)
		a.write(after)
		if !apiequality.Semantic.DeepEqual(ds.Spec, after.Spec) {
			after.Generation++
		}
		if !apiequality.Semantic.DeepEqual(ds.Spec.Template, after.Spec.Template) {
			generation, _ := strconv.Atoi(ds.Annotations[appsv1.DeprecatedTemplateGeneration])
			after.Annotations[appsv1.DeprecatedTemplateGeneration] = strconv.Itoa(generation + 1)
		}
		return nil
	})
}
