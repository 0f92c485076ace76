package main

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// mutant is a variant of the reference as this command tries it.
type mutant struct {
	variants.Variant
	// breaks are the requirements whose verdict must be fail; none for a lawful variant.
	breaks []requirements.ID
	// provider is that of the clusters on which the suite can find out.
	provider string
}

// selected returns the lawful or the broken variants; with names, those alone. A requirement that the catalogue does not have is an error.
func selected(names []string, lawful bool) ([]mutant, error) {
	all := mutants(variants.Broken())
	if lawful {
		all = mutants(variants.Lawful())
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

// mutants are the variants with where they are tried.
func mutants(all []variants.Variant) []mutant {
	var result []mutant
	for _, v := range all {
		m := mutant{Variant: v, provider: embedded.ProviderName}
		for _, id := range v.Breaks {
			m.breaks = append(m.breaks, requirements.ID(id))
		}
		if v.NeedsKubelets {
			m.provider = kind.ProviderName
		}
		result = append(result, m)
	}
	return result
}

// broken reports whether the suite has to find it out.
func (m mutant) broken() bool { return m.Lawful == "" }
