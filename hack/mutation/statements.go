package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// statement leaves statements out, ends loops instead of rounds, and returns nothing instead of something.
func (w *writer) statement(n ast.Stmt) (text string, is bool) {
	switch n := n.(type) {
	case *ast.ExprStmt:
		call, is := n.X.(*ast.CallExpr)
		if !is || w.original(call.Fun) == "panic" {
			return "", false
		}
		return w.leftOut(n), true
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return "", false
		}
		return w.leftOut(n), true
	case *ast.IncDecStmt:
		other := map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
		flipped := w.add(n.Pos(), fmt.Sprintf("%s → %s%s", w.said(n), w.said(n.X), other))
		return fmt.Sprintf("if mutant.On(%d) { %s%s } else %s", flipped, w.original(n.X), other, w.leftOut(n)), true
	case *ast.BranchStmt:
		return w.branch(n)
	case *ast.ReturnStmt:
		return w.returned(n), true
	}
	return "", false
}

// leftOut is a statement that one mutant lacks.
func (w *writer) leftOut(n ast.Stmt) string {
	number := w.add(n.Pos(), "without "+w.said(n))
	return fmt.Sprintf("if !mutant.On(%d) { %s }", number, w.inner(n))
}

// noIteration begins the body of a loop that one mutant does not enter.
func (w *writer) noIteration(n *ast.RangeStmt) string {
	return fmt.Sprintf(" if mutant.On(%d) { break };", w.add(n.Pos(), fmt.Sprintf("without the loop over %s", w.said(n.X))))
}

func (w *writer) branch(n *ast.BranchStmt) (text string, is bool) {
	if n.Label != nil || n.Tok != token.CONTINUE && n.Tok != token.BREAK {
		return "", false
	}
	text = w.leftOut(n)
	if n.Tok == token.CONTINUE {
		text = fmt.Sprintf("if mutant.On(%d) { break }; %s", w.add(n.Pos(), "continue → break"), text)
	}
	return text, true
}

// returned is a return that gives zero for one of its results.
func (w *writer) returned(n *ast.ReturnStmt) string {
	if len(n.Results) == 0 {
		if n == w.last {
			return w.original(n)
		}
		return w.leftOut(n)
	}
	results := w.resultTypes()
	if len(results) != len(n.Results) {
		return w.inner(n)
	}
	var values []string
	for i, value := range n.Results {
		if results[i] == "bool" {
			w.conditions[value] = true
		}
		values = append(values, w.text(value))
	}
	var text strings.Builder
	for i, value := range n.Results {
		if results[i] == "bool" || w.isZero(value) {
			continue
		}
		zero := append(append([]string{}, values[:i]...), fmt.Sprintf("*new(%s)", results[i]))
		zero = append(zero, values[i+1:]...)
		number := w.add(value.Pos(), fmt.Sprintf("return %s → zero", w.said(value)))
		fmt.Fprintf(&text, "if mutant.On(%d) { return %s }; ", number, strings.Join(zero, ", "))
	}
	return text.String() + "return " + strings.Join(values, ", ")
}

// resultTypes are the types of the results, each as often as it has a name.
func (w *writer) resultTypes() []string {
	if w.results == nil {
		return nil
	}
	var all []string
	for _, field := range w.results.List {
		for range max(len(field.Names), 1) {
			all = append(all, w.original(field.Type))
		}
	}
	return all
}

// isZero reports whether an expression is zero already, or a literal, which has a mutant of its own.
func (w *writer) isZero(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "nil"
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}
