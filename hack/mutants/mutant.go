package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/mutants/wrongapi"
	daemonset "github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
	disruption "github.com/rollcall-conformance/rollcall/impl/disruption/variants"
	statefulset "github.com/rollcall-conformance/rollcall/impl/statefulset/variants"
)

// mutant is a variant of one of the reference's controllers, or an API server with a fault, as this command tries it.
type mutant struct {
	// Name, Says and Lawful are the variant's; differs says whether it is another controller than the reference's at all.
	Name, Says, Lawful string
	differs            bool
	// members are the variants that it has the differences of; empty for the one of its name.
	members []string
	// ofAPIServer: the reference runs as it is, and the API server has the fault of that name.
	ofAPIServer bool
	// breaks are the requirements whose verdict must be fail; none for a lawful variant.
	breaks []requirements.ID
	// provider is that of the clusters on which the suite can find out.
	provider string
}

// selected returns the lawful or the broken variants; with names, those alone. A requirement that the catalogue does not have is an error.
func selected(names []string, lawful bool) ([]mutant, error) {
	all := mutants(daemonset.Broken(), disruption.Broken(), statefulset.Broken(), wrongapi.All())
	if lawful {
		all = mutants(daemonset.Lawful(), disruption.Lawful(), statefulset.Lawful(), nil)
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if err := catalogue.Unknown(m.breaks...); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	var chosen []mutant
	for _, name := range names {
		i := slices.IndexFunc(all, func(m mutant) bool { return m.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no variant %s to try: -list says which there are", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// onEmbedded are those that take no kubelets to be found out.
func onEmbedded(all []mutant) []mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return m.provider != embedded.ProviderName })
}

// together is one controller that has the differences of all those variants: it is lawful if they are.
func together(all []mutant) []mutant {
	one := mutant{Name: "together", Lawful: "each of them is", differs: true, provider: embedded.ProviderName}
	for _, m := range all {
		one.members = append(one.members, m.Name)
	}
	one.Says = strings.Join(one.members, " ")
	return []mutant{one}
}

// variant is what the program that runs variants is told.
func (m mutant) variant() string {
	if len(m.members) == 0 {
		return m.Name
	}
	return strings.Join(m.members, ",")
}

// mutants are the variants of the controllers, and the faults of the API server, with where they are tried, in the order of their names.
func mutants(ofDaemonSets []daemonset.Variant, ofBudgets []disruption.Variant, ofStatefulSets []statefulset.Variant, faults []wrongapi.Fault) []mutant {
	var result []mutant
	add := func(m mutant, breaks []string, needsKubelets bool) {
		m.provider = embedded.ProviderName
		if needsKubelets {
			m.provider = kind.ProviderName
		}
		for _, id := range breaks {
			m.breaks = append(m.breaks, requirements.ID(id))
		}
		result = append(result, m)
	}
	for _, v := range ofDaemonSets {
		add(mutant{Name: v.Name, Says: v.Says, Lawful: v.Lawful, differs: v.Differs()}, v.Breaks, v.NeedsKubelets)
	}
	for _, v := range ofBudgets {
		add(mutant{Name: v.Name, Says: v.Says, Lawful: v.Lawful, differs: v.Differs()}, v.Breaks, false)
	}
	for _, v := range ofStatefulSets {
		add(mutant{Name: v.Name, Says: v.Says, Lawful: v.Lawful, differs: v.Differs()}, v.Breaks, false)
	}
	for _, f := range faults {
		add(mutant{Name: f.Name, Says: f.Says, differs: f.Around != nil, ofAPIServer: true}, f.Breaks, false)
	}
	slices.SortFunc(result, func(a, b mutant) int { return cmp.Compare(a.Name, b.Name) })
	return result
}

// broken reports whether the suite has to find it out.
func (m mutant) broken() bool { return m.Lawful == "" }
