package main

import (
	_ "embed"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

//go:embed explained.yaml
var explainedText []byte

// Kind is why a mutant may survive.
type kind string

const (
	// equivalent: the changed code does the same.
	equivalent kind = "equivalent"
	// lawful: it does otherwise, and breaks no promise.
	lawful kind = "lawful"
	// elsewhere: specs decide it, of what the simulation does not have.
	elsewhere kind = "elsewhere"
)

// explained are mutants that may survive, for one reason.
type explained struct {
	// File, In and Changes name them: where they are, in which function, and what is changed.
	File    string   `json:"file"`
	In      string   `json:"in"`
	Changes []string `json:"changes"`
	// Kind and Because say why.
	Kind    kind   `json:"kind"`
	Because string `json:"because"`
}

func (e explained) is(m mutation) bool {
	return e.File == m.file && e.In == m.function && slices.Contains(e.Changes, m.change)
}

// explanations reads the list of mutants that may survive. Each has to be one that there is.
func explanations(text []byte, mutations []mutation) ([]explained, error) {
	var all []explained
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("explained.yaml: %w", err)
	}
	for _, e := range all {
		if !slices.Contains([]kind{equivalent, lawful, elsewhere}, e.Kind) || e.Because == "" {
			return nil, fmt.Errorf("explained.yaml: %s, %s: want a kind of %s, %s or %s, and a reason", e.File, e.In, equivalent, lawful, elsewhere)
		}
		for _, change := range e.Changes {
			if one := (explained{File: e.File, In: e.In, Changes: []string{change}}); !slices.ContainsFunc(mutations, one.is) {
				return nil, fmt.Errorf("explained.yaml: there is no mutant %s, %s, %q: take it off the list", e.File, e.In, change)
			}
		}
	}
	return all, nil
}
