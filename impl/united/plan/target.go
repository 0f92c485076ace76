package plan

import (
	"cmp"
	"encoding/json"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// gated reports whether the target is kept to its own nodes.
func (f *family) gated() bool {
	return apiequality.Semantic.DeepEqual(f.target.Spec.Template.Spec.Affinity, Gate(f.template, f.keys, Original).Spec.Affinity)
}

// planTarget returns the target as it is to be written, nil if not now, and the pods that are to get another revision label first.
func (f *family) planTarget() (*appsv1.DaemonSet, []PodLabel) {
	gate, free := Gate(f.template, f.keys, Original), f.original()
	switch {
	case !f.dissolving && !f.gated():
		if slices.ContainsFunc(f.nodes, func(m *member) bool { return m.belongs != "" && m.home == "" }) {
			return nil, nil
		}
		return f.suspended(gate), nil
	case f.dissolving && !f.isFree():
		if !f.allHome() || len(f.members) > 1 {
			return nil, nil
		}
		return f.suspended(free), nil
	}
	return f.release()
}

// isFree reports whether the target's template has no gate.
func (f *family) isFree() bool {
	return apiequality.Semantic.DeepEqual(&f.target.Spec.Template, f.template)
}

// original returns the template without its gate as it was before: with the parts of an affinity that were empty, of which the history alone knows.
func (f *family) original() *corev1.PodTemplateSpec {
	original, latest := f.template, int64(0)
	for _, revision := range f.Revisions {
		if !metav1.IsControlledBy(revision, f.target) || revision.Revision <= latest {
			continue
		}
		if before := templateIn(revision); before != nil && Ungate(before, f.keys) == before && alike(before, f.template, f.keys) {
			original, latest = before, revision.Revision
		}
	}
	return original
}

// allHome reports whether every node of the family is the target's.
func (f *family) allHome() bool {
	return !slices.ContainsFunc(f.nodes, func(m *member) bool {
		return m.incoming != "" || m.home != "" && m.home != Original || m.belongs != "" && m.home == ""
	})
}

// suspended returns the target with the template, and with its rollouts suspended.
func (f *family) suspended(template *corev1.PodTemplateSpec) *appsv1.DaemonSet {
	target := f.target.DeepCopy()
	target.Spec.Template = *template.DeepCopy()
	if target.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
		metav1.SetMetaDataAnnotation(&target.ObjectMeta, StrategyAnnotation, encodeStrategy(target.Spec.UpdateStrategy))
		target.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
	}
	return target
}

// encodeStrategy is the inverse of what suspendedStrategy reads. It cannot fail: a strategy is numbers and strings.
func encodeStrategy(strategy appsv1.DaemonSetUpdateStrategy) string {
	encoded, _ := json.Marshal(strategy)
	return string(encoded)
}

// release gives the target its strategy back, once it makes no pod restart that differs by the gate alone. Those pods get the new revision's label before.
func (f *family) release() (*appsv1.DaemonSet, []PodLabel) {
	_, suspended := f.target.Annotations[StrategyAnnotation]
	stale, known := f.staleLabels()
	if len(stale) > 0 || !suspended {
		return nil, stale
	}
	if strategy := suspendedStrategy(f.target); strategy != nil && (!known || f.target.Status.ObservedGeneration < f.target.Generation) {
		// The DaemonSet controller may still make pods of the template before.
		return nil, nil
	}
	target := f.target.DeepCopy()
	target.Spec.UpdateStrategy = strategyOf(f.target)
	delete(target.Annotations, StrategyAnnotation)
	return target, nil
}

// staleLabels are the pods of the target that are labelled with another revision, but differ from the current one by the gate alone; known reports
// whether there is a current revision yet.
func (f *family) staleLabels() (stale []PodLabel, known bool) {
	current, same := "", sets.New[string]()
	owned := slices.DeleteFunc(slices.Clone(f.Revisions), func(revision *appsv1.ControllerRevision) bool { return !metav1.IsControlledBy(revision, f.target) })
	slices.SortFunc(owned, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	for _, revision := range owned {
		template := templateIn(revision)
		if template == nil || !alike(template, &f.target.Spec.Template, f.keys) {
			continue
		}
		hash := revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
		same.Insert(hash)
		if apiequality.Semantic.DeepEqual(template, &f.target.Spec.Template) {
			current = hash
		}
	}
	if current == "" {
		return nil, false
	}
	for _, pod := range f.Pods {
		hash := pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
		if metav1.IsControlledBy(pod, f.target) && pod.DeletionTimestamp == nil && hash != current && same.Has(hash) {
			stale = append(stale, PodLabel{Pod: pod, Hash: current})
		}
	}
	return stale, true
}

// templateIn returns the template that a DaemonSet's revision holds; nil if it holds none that can be read.
func templateIn(revision *appsv1.ControllerRevision) *corev1.PodTemplateSpec {
	var data struct {
		Spec struct {
			Template *corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(revision.Data.Raw, &data); err != nil {
		return nil
	}
	return data.Spec.Template
}
