package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// mutant is one deliberately broken reference controller.
type mutant struct {
	// name is the patch file's, without its ending.
	name string
	// patch is the patch file's path.
	patch string
	// says is what is broken, in words.
	says string
	// breaks are the requirements whose verdict must be fail.
	breaks []requirements.ID
	// provider is that of the clusters on which the suite can find out.
	provider string
	// changes are the files that the patch changes, relative to the project's root.
	changes []string
}

const patchEnding = ".patch"

// mutantName: a number that keeps the order, and words.
var mutantName = regexp.MustCompile(`^[0-9]{2,3}(-[a-z0-9]+)+$`)

// readMutants reads the mutants in the folder, in the order of their names; with names given, those alone.
func readMutants(folder string, names []string) ([]mutant, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+patchEnding))
	if err != nil {
		return nil, fmt.Errorf("list mutants: %w", err)
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[strings.TrimSuffix(filepath.Base(name), patchEnding)] = true
	}
	var mutants []mutant
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), patchEnding)
		if len(names) > 0 && !wanted[name] {
			continue
		}
		delete(wanted, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read mutant: %w", err)
		}
		m, err := parseMutant(name, string(text))
		if err != nil {
			return nil, fmt.Errorf("mutant %s: %w", name, err)
		}
		m.patch = path
		mutants = append(mutants, m)
	}
	for name := range wanted {
		return nil, fmt.Errorf("there is no mutant %s: the patches are in %s", name, folder)
	}
	if len(mutants) == 0 {
		return nil, fmt.Errorf("there is no patch in %s", folder)
	}
	return mutants, nil
}

// parseMutant reads a patch: lines that say what is broken, a line "Breaks: SURGE-002, …", where only real nodes show it a line "Provider: kind", then a
// unified diff of files below impl/.
func parseMutant(name, text string) (mutant, error) {
	m := mutant{name: name, provider: embedded.ProviderName}
	if !mutantName.MatchString(name) {
		return m, errors.New("the name has to be a number and words, like 01-deletes-first")
	}
	header, diff, found := strings.Cut("\n"+text, "\ndiff --git ")
	if !found {
		return m, errors.New(`no diff: a line has to begin with "diff --git "`)
	}
	var words []string
	for line := range strings.Lines(header) {
		line = strings.TrimSpace(line)
		list, isBreaks := strings.CutPrefix(line, "Breaks:")
		provider, isProvider := strings.CutPrefix(line, "Provider:")
		switch {
		case isProvider:
			m.provider = strings.TrimSpace(provider)
		case isBreaks && m.breaks != nil:
			return m, errors.New(`more than one line "Breaks:"`)
		case isBreaks:
			for id := range strings.SplitSeq(list, ",") {
				m.breaks = append(m.breaks, requirements.ID(strings.TrimSpace(id)))
			}
		case line != "":
			words = append(words, line)
		}
	}
	m.says = strings.Join(words, " ")
	if m.provider != embedded.ProviderName && m.provider != kind.ProviderName {
		return m, fmt.Errorf("provider %q: it is %s or %s", m.provider, embedded.ProviderName, kind.ProviderName)
	}
	if m.says == "" {
		return m, errors.New("nothing says what is broken")
	}
	if len(m.breaks) == 0 {
		return m, errors.New(`no line "Breaks:" names the requirements that are broken`)
	}
	for line := range strings.Lines(diff) {
		path, isTarget := strings.CutPrefix(line, "+++ ")
		if !isTarget {
			continue
		}
		path = strings.TrimPrefix(strings.TrimSpace(path), "b/")
		if !strings.HasPrefix(path, "impl/") || strings.HasSuffix(path, "_test.go") {
			return m, fmt.Errorf("it changes %s: only what impl/ ships may be broken", path)
		}
		m.changes = append(m.changes, path)
	}
	if len(m.changes) == 0 {
		return m, errors.New("the diff changes nothing")
	}
	return m, nil
}

// unknown returns an error about the mutants that claim to break what the catalogue does not have.
func unknown(catalogue *requirements.Catalogue, mutants []mutant) error {
	var named []requirements.ID
	for _, m := range mutants {
		named = slices.Concat(named, m.breaks)
	}
	return catalogue.Unknown(named...)
}
