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

// explained is a mutant that may survive.
type explained struct {
	// File, In and Change name it: where it is, in which function, and what is changed. A Change of * is every one in that function.
	File   string `json:"file"`
	In     string `json:"in"`
	Change string `json:"change"`
	// Kind and Because say why.
	Kind    kind   `json:"kind"`
	Because string `json:"because"`
}

// everyChange stands for all changes of a function.
const everyChange = "*"

func (e explained) is(m mutation) bool {
	return e.File == m.file && e.In == m.function && (e.Change == m.change || e.Change == everyChange)
}

// explanations reads the list of mutants that may survive. Each has to be one that there is.
func explanations(text []byte, mutations []mutation) ([]explained, error) {
	var all []explained
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("explained.yaml: %w", err)
	}
	for _, e := range all {
		if !slices.Contains([]kind{equivalent, lawful, elsewhere}, e.Kind) || e.Because == "" {
			return nil, fmt.Errorf("explained.yaml: %s, %s, %q: want a kind of %s, %s or %s, and a reason", e.File, e.In, e.Change, equivalent, lawful, elsewhere)
		}
		if !slices.ContainsFunc(mutations, e.is) {
			return nil, fmt.Errorf("explained.yaml: there is no mutant %s, %s, %q: take it off the list", e.File, e.In, e.Change)
		}
	}
	return all, nil
}
