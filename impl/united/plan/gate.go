package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// Gate returns the template for the nodes of the member alone: each term of its own node affinity is required together with the label, as home or as
// incoming, since terms are alternatives.
func Gate(template *corev1.PodTemplateSpec, keys Keys, member string) *corev1.PodTemplateSpec {
	gated := template.DeepCopy()
	own := termsOf(gated)
	if len(own) == 0 {
		// One that asks for nothing.
		own = []corev1.NodeSelectorTerm{{}}
	}
	var terms []corev1.NodeSelectorTerm
	for i := range own {
		if len(termsOf(gated)) > 0 && selectsNothing(own[i]) {
			terms = append(terms, own[i])
			continue
		}
		terms = append(terms, with(own[i], keys.Home, member), with(own[i], keys.Incoming, member))
	}
	setTerms(gated, terms)
	return gated
}

// Ungate returns the template that Gate was given.
func Ungate(template *corev1.PodTemplateSpec, keys Keys) *corev1.PodTemplateSpec {
	if !slices.ContainsFunc(termsOf(template), func(term corev1.NodeSelectorTerm) bool { return asks(term, keys.Home) || asks(term, keys.Incoming) }) {
		return template
	}
	ungated := template.DeepCopy()
	var terms []corev1.NodeSelectorTerm
	for _, term := range termsOf(ungated) {
		if asks(term, keys.Incoming) {
			continue
		}
		if asks(term, keys.Home) {
			if term = without(term, keys.Home); selectsNothing(term) {
				continue
			}
		}
		terms = append(terms, term)
	}
	setTerms(ungated, terms)
	return ungated
}

// alike reports whether the templates are the same but for the gates of the family, and for parts of an affinity that are empty.
func alike(a, b *corev1.PodTemplateSpec, keys Keys) bool {
	return apiequality.Semantic.DeepEqual(pruned(Ungate(a, keys)), pruned(Ungate(b, keys)))
}

// pruned returns the template without parts of an affinity that are empty: they ask for nothing, and Ungate does not know of them.
func pruned(template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	if template.Spec.Affinity == nil {
		return template
	}
	bare := template.DeepCopy()
	setTerms(bare, termsOf(bare))
	return bare
}

func termsOf(template *corev1.PodTemplateSpec) []corev1.NodeSelectorTerm {
	affinity := template.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// setTerms makes the terms the template's, or with none leaves it as one that never had any.
func setTerms(template *corev1.PodTemplateSpec, terms []corev1.NodeSelectorTerm) {
	spec := &template.Spec
	if len(terms) > 0 {
		if spec.Affinity == nil {
			spec.Affinity = &corev1.Affinity{}
		}
		if spec.Affinity.NodeAffinity == nil {
			spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
		}
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: terms}
		return
	}
	if spec.Affinity.NodeAffinity != nil {
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
		if len(spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) == 0 {
			spec.Affinity.NodeAffinity = nil
		}
	}
	if *spec.Affinity == (corev1.Affinity{}) {
		spec.Affinity = nil
	}
}

// selectsNothing reports whether the term has no requirement: Kubernetes then takes it to match no node.
func selectsNothing(term corev1.NodeSelectorTerm) bool {
	return len(term.MatchExpressions) == 0 && len(term.MatchFields) == 0
}

func with(term corev1.NodeSelectorTerm, key, value string) corev1.NodeSelectorTerm {
	term.MatchExpressions = append(slices.Clone(term.MatchExpressions),
		corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}})
	return term
}

func without(term corev1.NodeSelectorTerm, key string) corev1.NodeSelectorTerm {
	term.MatchExpressions = slices.DeleteFunc(slices.Clone(term.MatchExpressions), of(key))
	if len(term.MatchExpressions) == 0 {
		term.MatchExpressions = nil
	}
	return term
}

func asks(term corev1.NodeSelectorTerm, key string) bool {
	return slices.ContainsFunc(term.MatchExpressions, of(key))
}

func of(key string) func(corev1.NodeSelectorRequirement) bool {
	return func(requirement corev1.NodeSelectorRequirement) bool { return requirement.Key == key }
}
