package variants

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenTemplates ignore some fields when they compare templates.
func brokenTemplates() []Variant {
	return []Variant{
		{Name: "compares-no-tolerations", Says: "Takes templates for the same that differ in their tolerations only.",
			Breaks: []string{"ROLLING-001"},
			Planner: comparing(func(template, before *corev1.PodTemplateSpec) {
				template.Spec.Tolerations = before.Spec.Tolerations
			})},
		{Name: "compares-no-init-containers", Says: "Takes templates for the same that differ in their init containers only.",
			Breaks: []string{"ROLLING-001"},
			Planner: comparing(func(template, before *corev1.PodTemplateSpec) {
				template.Spec.InitContainers = before.Spec.InitContainers
			})},
		{Name: "compares-no-grace-periods", Says: "Takes templates for the same that differ in terminationGracePeriodSeconds only.",
			Breaks: []string{"ROLLING-001"},
			Planner: comparing(func(template, before *corev1.PodTemplateSpec) {
				template.Spec.TerminationGracePeriodSeconds = before.Spec.TerminationGracePeriodSeconds
			})},
		{Name: "overlooks-removed-annotations", Says: "Takes templates for the same of which one has all annotations of the other, and more.",
			Breaks: []string{"ROLLING-016"},
			Planner: comparing(func(template, before *corev1.PodTemplateSpec) {
				for key, value := range before.Annotations {
					if _, has := template.Annotations[key]; has {
						continue
					}
					if template.Annotations == nil {
						template.Annotations = map[string]string{}
					}
					template.Annotations[key] = value
				}
			})},
	}
}

// comparing is the planner to which a template is the one before it if they are equal once something is put back.
func comparing(back func(template, before *corev1.PodTemplateSpec)) Around {
	return seeing(func(state *plan.State, _ time.Time) {
		before := latestTemplate(*state)
		if before == nil {
			return
		}
		ds := state.DaemonSet.DeepCopy()
		back(&ds.Spec.Template, before)
		if apiequality.Semantic.DeepEqual(&ds.Spec.Template, before) {
			state.DaemonSet = ds
		}
	})
}

// latestTemplate is that of the history with the highest number, or nil.
func latestTemplate(state plan.State) *corev1.PodTemplateSpec {
	number, found := int64(0), (*corev1.PodTemplateSpec)(nil)
	for _, revision := range state.Revisions {
		if template := plan.StoredTemplate(revision); template != nil && revision.Revision > number {
			number, found = revision.Revision, template
		}
	}
	return found
}
