package run

import (
	"io"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// printRequirements is `rollcall requirements`: the catalogue, with the specs that decide each row.
func printRequirements(args []string, out io.Writer) (int, error) {
	flags := newFlags("requirements", out)
	describe(flags, `rollcall requirements

Prints a line for every requirement of the catalogue: its ID, its level, the feature that an implementation has to claim to be held to it, and the specs
that decide it. The levels are core (a design document states it), extended (inferred, or optional) and reference (only the bundled controller has it).
`+"`rollcall explain ID`"+` says everything about one of them.
`)
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	catalogue, deciding, err := loadCatalogue(specTree())
	if err != nil {
		return exitHarness, err
	}
	return exitConformant, requirements.WriteTable(out, catalogue, deciding)
}

// loadCatalogue reads the catalogue and holds the specs against it: a spec that decides an unknown requirement is an error.
func loadCatalogue(specs []types.SpecReport) (*requirements.Catalogue, map[requirements.ID][]string, error) {
	catalogue, err := requirements.Load()
	if err != nil {
		return nil, nil, err
	}
	deciding := map[requirements.ID][]string{}
	for _, spec := range specs {
		for _, label := range spec.Labels() {
			deciding[requirements.ID(label)] = append(deciding[requirements.ID(label)], spec.FullText())
		}
	}
	var named []requirements.ID
	for id := range deciding {
		named = append(named, id)
	}
	return catalogue, deciding, catalogue.Unknown(named...)
}
