package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// writer writes the mutants of one file: each node is replaced by a text in which calls of package mutant choose between the code as it is and what it
// might be by mistake.
type writer struct {
	types  *types.Info
	pkg    *types.Package
	source []byte
	offset func(token.Pos) int
	// add makes a mutant and returns its number.
	add func(at token.Pos, change string) int

	// function is the one that is being written, results are those of it, or of the function literal within, and last is the statement that ends it.
	function string
	results  *ast.FieldList
	last     ast.Stmt
	// conditions are the expressions that decide something alone: each may be true, or false, by mistake.
	conditions map[ast.Expr]bool
	// operands are those of && and ||, each of which some mutant lacks.
	operands map[ast.Expr]bool
	// imports are the packages that the file imports under their own names.
	imports map[string]bool
	// within is the condition that is being written.
	within ast.Expr
	// heads are the statements in the heads of others, where no other statement can take their place.
	heads map[ast.Stmt]bool
}

// enter begins with a function of the file.
func (w *writer) enter(function *ast.FuncDecl) {
	w.function, w.results, w.last = function.Name.Name, function.Type.Results, lastOf(function.Body)
	if function.Recv != nil {
		w.function = strings.TrimPrefix(w.original(function.Recv.List[0].Type), "*") + "." + w.function
	}
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			w.conditions[n.Cond], w.heads[n.Init] = true, true
		case *ast.ForStmt:
			w.heads[n.Init], w.heads[n.Post] = true, true
		case *ast.SwitchStmt:
			w.heads[n.Init] = true
			if n.Tag == nil {
				for _, clause := range n.Body.List {
					for _, condition := range clause.(*ast.CaseClause).List {
						w.conditions[condition] = true
					}
				}
			}
		}
		return true
	})
}

func lastOf(body *ast.BlockStmt) ast.Stmt {
	if len(body.List) == 0 {
		return nil
	}
	return body.List[len(body.List)-1]
}

// original is the source of a node.
func (w *writer) original(n ast.Node) string {
	return string(w.source[w.offset(n.Pos()):w.offset(n.End())])
}

// said is the source of a node in one line.
func (w *writer) said(n ast.Node) string { return strings.Join(strings.Fields(w.original(n)), " ") }

// text is a node with all its mutants.
func (w *writer) text(n ast.Node) string {
	if text, is := w.mutants(n); is {
		return text
	}
	return w.inner(n)
}

// inner is a node with the mutants of what it is made of, but none of its own.
func (w *writer) inner(root ast.Node) string {
	var edits []edit
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.ArrayType, *ast.FuncType:
			return false
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.RangeStmt:
			start := w.offset(n.Body.Lbrace) + 1
			edits = append(edits, edit{start, start, w.noIteration(n)})
		}
		if n == root {
			return true
		}
		text, is := w.mutants(n)
		if is {
			edits = append(edits, edit{w.offset(n.Pos()), w.offset(n.End()), text})
		}
		return !is
	})
	return splice(w.source, w.offset(root.Pos()), w.offset(root.End()), edits)
}

// mutants returns the text of a node that has mutants of its own.
func (w *writer) mutants(n ast.Node) (text string, is bool) {
	switch n := n.(type) {
	case *ast.FuncLit:
		results, last := w.results, w.last
		w.results, w.last = n.Type.Results, lastOf(n.Body)
		defer func() { w.results, w.last = results, last }()
		return w.inner(n), true
	case ast.Stmt:
		if w.heads[n] {
			return "", false
		}
		return w.statement(n)
	case ast.Expr:
		if w.conditions[n] && w.within != n {
			return w.condition(n), true
		}
		return w.expression(n)
	}
	return "", false
}
