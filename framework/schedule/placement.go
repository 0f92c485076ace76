package schedule

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Pool is a label by which nodes are told apart, and its two values.
type Pool struct {
	Label  string
	Values [2]string
}

// Placement is a way in which a template says where pods are to run.
type Placement struct {
	Says string
	// Apply writes it into the pods' spec, whatever that said of nodes before.
	Apply func(spec *corev1.PodSpec)
}

// Placements are those that schedules choose among: by the pool, and by the name of one node. TARGET-001 is about all of them.
func Placements(pool Pool, node string) []Placement {
	is := func(operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: pool.Label, Operator: operator, Values: values}}}
	}
	named := func(operator corev1.NodeSelectorOperator) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: operator, Values: []string{node}}}}
	}
	first, second := pool.Values[0], pool.Values[1]
	in, notIn, exists, lacks := corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist
	return []Placement{
		{"on any node", placed(pool, "")},
		{"where the affinity finds the first pool", placed(pool, "", is(in, first))},
		{"where the affinity does not find the first pool", placed(pool, "", is(notIn, first))},
		{"where the affinity finds either pool", placed(pool, "", is(in, second), is(in, first))},
		{"where the affinity finds no pool", placed(pool, "", is(lacks))},
		{"on the node of a name", placed(pool, "", named(in))},
		{"on the node of a name, and on those of the second pool", placed(pool, "", named(in), is(in, second))},
		{"on all nodes but that of a name", placed(pool, "", named(notIn))},
		{"on the selected second pool, where the affinity finds any", placed(pool, second, is(exists))},
		{"rather on the first pool", preferring(pool, is(in, first))},
	}
}

// placed selects the nodes of a pool, if one is named, and of the others those of any of the terms.
func placed(pool Pool, selected string, terms ...corev1.NodeSelectorTerm) func(*corev1.PodSpec) {
	return func(spec *corev1.PodSpec) {
		delete(spec.NodeSelector, pool.Label)
		if selected != "" {
			if spec.NodeSelector == nil {
				spec.NodeSelector = map[string]string{}
			}
			spec.NodeSelector[pool.Label] = selected
		}
		spec.Affinity = nil
		if len(terms) > 0 {
			spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
			}}
		}
	}
}

// preferring asks for any node, and rather for those of the term.
func preferring(pool Pool, term corev1.NodeSelectorTerm) func(*corev1.PodSpec) {
	return func(spec *corev1.PodSpec) {
		placed(pool, "")(spec)
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 1, Preference: term}},
		}}
	}
}

// Tolerations are what templates of schedules may tolerate of nodes with the taint of that key and no value: everything, something, or what only looks like it.
func Tolerations(key string) []Placement {
	var all []Placement
	for _, t := range []corev1.Toleration{
		{Operator: corev1.TolerationOpExists},
		{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: key, Operator: corev1.TolerationOpEqual, Value: "another"},
		{Key: key, Operator: corev1.TolerationOpEqual},
	} {
		says := fmt.Sprintf("%s %s %s, effect %s", cmp.Or(t.Key, "every key"), t.Operator, t.Value, cmp.Or(string(t.Effect), "any"))
		all = append(all, Placement{"tolerates " + says, func(spec *corev1.PodSpec) {
			ofTaint := func(other corev1.Toleration) bool { return other.Key == "" || other.Key == key }
			spec.Tolerations = append(slices.DeleteFunc(slices.Clone(spec.Tolerations), ofTaint), t)
		}})
	}
	return all
}
