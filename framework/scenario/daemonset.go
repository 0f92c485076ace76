package scenario

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Edit is one change to a DaemonSet.
type Edit = EditOf[appsv1.DaemonSet]

func edit(apply func(*appsv1.DaemonSet), format string, args ...any) Edit {
	return Edit{Says: fmt.Sprintf(format, args...), Apply: apply}
}

func rollingUpdate(d *appsv1.DaemonSet) *appsv1.RollingUpdateDaemonSet {
	d.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
	if d.Spec.UpdateStrategy.RollingUpdate == nil {
		d.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{}
	}
	return d.Spec.UpdateStrategy.RollingUpdate
}

// MaxSurge sets maxSurge to a number or percentage ("1", "25%") and maxUnavailable to 0.
func MaxSurge(value string) Edit {
	return edit(func(d *appsv1.DaemonSet) {
		surge, none := intstr.Parse(value), intstr.FromInt32(0)
		*rollingUpdate(d) = appsv1.RollingUpdateDaemonSet{MaxSurge: &surge, MaxUnavailable: &none}
	}, "maxSurge %s", value)
}

// MaxUnavailable sets maxUnavailable to a number or percentage and maxSurge to 0.
func MaxUnavailable(value string) Edit {
	return edit(func(d *appsv1.DaemonSet) {
		unavailable, none := intstr.Parse(value), intstr.FromInt32(0)
		*rollingUpdate(d) = appsv1.RollingUpdateDaemonSet{MaxSurge: &none, MaxUnavailable: &unavailable}
	}, "maxUnavailable %s", value)
}

// OnDelete sets the update strategy OnDelete.
func OnDelete() Edit {
	return edit(func(d *appsv1.DaemonSet) {
		d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
	}, "strategy OnDelete")
}

// MinReadySeconds sets minReadySeconds.
func MinReadySeconds(seconds int32) Edit {
	return edit(func(d *appsv1.DaemonSet) { d.Spec.MinReadySeconds = seconds }, "minReadySeconds %d", seconds)
}

// Note sets a label and an annotation of the DaemonSet itself, which no rollout depends on.
func Note() Edit {
	return edit(func(d *appsv1.DaemonSet) {
		metav1.SetMetaDataLabel(&d.ObjectMeta, "note", "x")
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, "note", "x")
	}, "a label and an annotation")
}

// Touch sets an annotation of the DaemonSet itself to the number: what watches the DaemonSet is woken, and nothing depends on it.
func Touch(number int) Edit {
	return edit(func(d *appsv1.DaemonSet) {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, "touched", strconv.Itoa(number))
	}, "annotation touched=%d", number)
}

// Image sets the tag of the container's image, which makes another revision. Real nodes have v1 to v9.
func Image(tag string) Edit {
	return edit(func(d *appsv1.DaemonSet) { setTag(container(d), tag) }, "image %s", tag)
}

func setTag(c *corev1.Container, tag string) {
	// A registry may have a port.
	c.Image = c.Image[:strings.LastIndex(c.Image, ":")+1] + tag
}

func container(d *appsv1.DaemonSet) *corev1.Container { return &d.Spec.Template.Spec.Containers[0] }

// NewDaemonSet returns a DaemonSet for the scenario's nodes, not yet created.
func (s *Scenario) NewDaemonSet(name string, edits ...Edit) *appsv1.DaemonSet {
	selector := map[string]string{"app": name}
	daemonSet := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: selector},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: maps.Clone(selector)},
				Spec:       s.env.podSpec(),
			},
		},
	}
	daemonSet.Spec.Template.Spec.NodeSelector = map[string]string{NodeLabel(s.namespace): ""}
	apply(edits)(daemonSet)
	return daemonSet
}

// Create creates the DaemonSet.
func (s *Scenario) Create(ctx context.Context, daemonSet *appsv1.DaemonSet) *appsv1.DaemonSet {
	s.tb.Helper()
	s.mustBeClaimed(daemonSet)
	s.requireAdmission(ctx)
	created, err := s.TryCreate(ctx, daemonSet)
	s.must(err, "create DaemonSet %s", daemonSet.Name)
	return created
}

// Deploy creates the DaemonSet "daemon" and waits until it has been Steady.
func (s *Scenario) Deploy(ctx context.Context, edits ...Edit) *appsv1.DaemonSet {
	s.tb.Helper()
	daemonSet := s.Create(ctx, s.NewDaemonSet("daemon", edits...))
	s.Require(ctx, "the first pods of the DaemonSet are available on every node", Steady(daemonSet))
	return daemonSet
}

// Update edits the DaemonSet and returns it as the API server has it now.
func (s *Scenario) Update(ctx context.Context, daemonSet *appsv1.DaemonSet, edits ...Edit) *appsv1.DaemonSet {
	s.tb.Helper()
	edited := daemonSet.DeepCopy()
	apply(edits)(edited)
	s.mustBeClaimed(edited)
	updated, err := s.TryUpdate(ctx, daemonSet, edits...)
	s.must(err, "update DaemonSet %s (%s)", daemonSet.Name, words(edits))
	return updated
}

// RequireReconciled waits until a controller sees to the DaemonSet: it has to notice a change that means nothing.
func (s *Scenario) RequireReconciled(ctx context.Context, daemonSet *appsv1.DaemonSet) {
	s.tb.Helper()
	changed := s.Update(ctx, daemonSet, edit(func(d *appsv1.DaemonSet) {
		*d.Spec.RevisionHistoryLimit++
	}, "revisionHistoryLimit one more, to see that a controller is at work"))
	s.Require(ctx, "a controller has seen that DaemonSet "+daemonSet.Name+" was changed", Processed(changed))
}

// mustBeClaimed ends a scenario that surges where the implementation does not claim to: nothing that it does then breaks a promise.
func (s *Scenario) mustBeClaimed(daemonSet *appsv1.DaemonSet) {
	s.tb.Helper()
	rolling := daemonSet.Spec.UpdateStrategy.RollingUpdate
	if s.env.NoSurge && rolling != nil && rolling.MaxSurge != nil && *rolling.MaxSurge != intstr.FromInt32(0) {
		s.tb.Skipf("the scenario sets maxSurge, and the implementation does not claim Surge")
	}
}

// RollOut updates the DaemonSet and waits until it is RolledOut; it reports whether that came about.
func (s *Scenario) RollOut(ctx context.Context, daemonSet *appsv1.DaemonSet, edits ...Edit) bool {
	s.tb.Helper()
	return s.Await(ctx, RolledOut(s.Update(ctx, daemonSet, edits...)))
}
