package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// runtimePackage is what mutated code calls.
const runtimePackage = "github.com/rollcall-conformance/rollcall/hack/mutation/mutant"

// mutation is one small change of the code, which may be a defect.
type mutation struct {
	// number selects it; from 1.
	number int
	// file is relative to the project, line is where it is now, function is what it is in.
	file, function string
	line           int
	// change says what is changed: two of one function that would say the same have their places in it.
	change string
}

// where names the mutation for people.
func (m mutation) where() string { return fmt.Sprintf("%s:%d", m.file, m.line) }

// mutated is a program with all its mutants.
type mutated struct {
	mutations []mutation
	// files are the texts that replace those of the program, by their absolute paths.
	files map[string]string
}

// mutate writes every mutant into the functions of the packages, which are folders of the project.
func mutate(root string, folders []string) (*mutated, error) {
	patterns := make([]string, 0, len(folders))
	for _, folder := range folders {
		patterns = append(patterns, "./"+folder)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile,
		Dir:  root,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", strings.Join(folders, ", "), err)
	}
	result := &mutated{files: map[string]string{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %w", p.PkgPath, p.Errors[0])
		}
		for _, file := range p.Syntax {
			if err := result.mutateFile(root, p, file); err != nil {
				return nil, err
			}
		}
	}
	return result, nil
}

func (m *mutated) mutateFile(root string, p *packages.Package, file *ast.File) error {
	path := p.Fset.Position(file.Package).Filename
	source, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	relative, err := filepath.Rel(root, path)
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	w := &writer{
		types: p.TypesInfo, pkg: p.Types, source: source, conditions: map[ast.Expr]bool{}, heads: map[ast.Stmt]bool{}, operands: map[ast.Expr]bool{}, imports: map[string]bool{},
		offset: func(at token.Pos) int { return p.Fset.Position(at).Offset },
	}
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name == nil {
			w.imports[path] = true
		}
	}
	said := map[string]int{}
	w.add = func(at token.Pos, change string) int {
		key := w.function + " " + change
		if said[key]++; said[key] > 1 {
			change += " #" + strconv.Itoa(said[key])
		}
		number := len(m.mutations) + 1
		m.mutations = append(m.mutations, mutation{number: number, file: relative, function: w.function, line: p.Fset.Position(at).Line, change: change})
		return number
	}
	before := len(m.mutations)
	var edits []edit
	for _, declaration := range file.Decls {
		if function, is := declaration.(*ast.FuncDecl); is && function.Body != nil {
			w.enter(function)
			edits = append(edits, edit{w.offset(function.Body.Pos()), w.offset(function.Body.End()), w.text(function.Body)})
		}
	}
	if len(m.mutations) > before {
		name := w.offset(file.Name.End())
		edits = append(edits, edit{name, name, fmt.Sprintf("; import mutant %q", runtimePackage)})
		m.files[path] = splice(source, 0, len(source), edits)
	}
	return nil
}

// edit is another text for a part of a source.
type edit struct {
	from, to int
	text     string
}

// splice returns the part of the source with the edits made, which do not overlap.
func splice(source []byte, from, to int, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var text strings.Builder
	for _, e := range edits {
		text.Write(source[from:e.from])
		text.WriteString(e.text)
		from = e.to
	}
	text.Write(source[from:to])
	return text.String()
}
