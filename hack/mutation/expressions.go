package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// condition is an expression that decides: true, or false, by mistake.
func (w *writer) condition(n ast.Expr) string {
	before := w.within
	w.within = n
	defer func() { w.within = before }()
	if name, is := n.(*ast.Ident); is && (name.Name == "true" || name.Name == "false") {
		return fmt.Sprintf("mutant.Not(%d, %s)", w.add(n.Pos(), fmt.Sprintf("%s → !%s", name.Name, name.Name)), name.Name)
	}
	if logical, is := n.(*ast.BinaryExpr); is && (logical.Op == token.LAND || logical.Op == token.LOR) {
		// Its operands have mutants by which it is the other.
		least := logical.Op == token.LOR
		return fmt.Sprintf("mutant.Choose(%d, %s, %t)", w.add(n.Pos(), fmt.Sprintf("%s → %t", w.said(n), least)), w.text(n), least)
	}
	number := w.add(n.Pos(), w.said(n)+" → true")
	w.add(n.Pos(), w.said(n)+" → false")
	return fmt.Sprintf("mutant.Cond(%d, %s)", number, w.text(n))
}

// decided reports whether an expression has mutants by which it is true or false, so that its opposite would tell nothing more.
func (w *writer) decided(n ast.Expr) bool { return w.within == n || w.operands[n] }

// expression changes operators and numbers.
func (w *writer) expression(n ast.Expr) (text string, is bool) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return w.binary(n)
	case *ast.UnaryExpr:
		if n.Op != token.NOT || w.decided(n) {
			return "", false
		}
		return w.negated(n, w.inner(n)), true
	case *ast.BasicLit:
		return w.number(n)
	case *ast.CallExpr:
		return w.extreme(n)
	}
	return "", false
}

func (w *writer) negated(n ast.Expr, text string) string {
	return fmt.Sprintf("mutant.Not(%d, %s)", w.add(n.Pos(), fmt.Sprintf("%s → its opposite", w.said(n))), text)
}

// nearby are the comparisons that differ at the boundary alone.
var nearby = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}

// sums are the operators for others of the same kind.
var sums = map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL}

func (w *writer) binary(n *ast.BinaryExpr) (text string, is bool) {
	switch n.Op {
	case token.LAND, token.LOR:
		return w.logical(n), true
	case token.EQL, token.NEQ:
		if w.decided(n) {
			return "", false
		}
		return w.negated(n, w.inner(n)), true
	}
	if near, is := nearby[n.Op]; is {
		x, y := w.text(n.X), w.text(n.Y)
		number := w.add(n.Pos(), w.becomes(n, near))
		text := fmt.Sprintf("mutant.Choose(%d, %s %s %s, %s %s %s)", number, x, n.Op, y, x, near, y)
		if !w.decided(n) {
			text = w.negated(n, text)
		}
		return text, true
	}
	other, is := sums[n.Op]
	basic, numeric := w.types.TypeOf(n).Underlying().(*types.Basic)
	name, writable := w.typeOf(n)
	if !is || !numeric || basic.Info()&types.IsNumeric == 0 || !writable {
		return "", false
	}
	x, y := w.text(n.X), w.text(n.Y)
	number := w.add(n.Pos(), w.becomes(n, other))
	return fmt.Sprintf("mutant.Choose[%s](%d, %s %s %s, %s %s %s)", name, number, x, n.Op, y, x, other, y), true
}

func (w *writer) becomes(n *ast.BinaryExpr, op token.Token) string {
	return fmt.Sprintf("%s → %s %s %s", w.said(n), w.said(n.X), op, w.said(n.Y))
}

func (w *writer) logical(n *ast.BinaryExpr) string {
	name := map[token.Token]string{token.LAND: "And", token.LOR: "Or"}[n.Op]
	number := w.add(n.Pos(), fmt.Sprintf("%s → %s", w.said(n), w.said(n.Y)))
	w.add(n.Pos(), fmt.Sprintf("%s → %s", w.said(n), w.said(n.X)))
	w.operands[n.X], w.operands[n.Y] = true, true
	return fmt.Sprintf("mutant.%s(%d, func() bool { return %s }, func() bool { return %s })", name, number, w.text(n.X), w.text(n.Y))
}

// number is one more, or one less.
func (w *writer) number(n *ast.BasicLit) (text string, is bool) {
	value, err := strconv.ParseInt(n.Value, 0, 64)
	name, writable := w.typeOf(n)
	if n.Kind != token.INT || err != nil || !writable {
		return "", false
	}
	changed := value + 1
	if value == 1 {
		changed = 0
	}
	number := w.add(n.Pos(), fmt.Sprintf("%d → %d", value, changed))
	return fmt.Sprintf("mutant.Choose[%s](%d, %d, %d)", name, number, value, changed), true
}

// extreme is the most instead of the least, or the other way round.
func (w *writer) extreme(n *ast.CallExpr) (text string, is bool) {
	other := map[string]string{"min": "max", "max": "min"}[w.original(n.Fun)]
	if other == "" {
		return "", false
	}
	call := w.inner(n)
	own := w.original(n.Fun)
	number := w.add(n.Pos(), fmt.Sprintf("%s → %s", w.said(n), other))
	return fmt.Sprintf("mutant.Choose(%d, %s, %s%s)", number, call, other, call[len(own):]), true
}

// typeOf is the type of an expression as the file may write it, if it can: it imports what the type is of.
func (w *writer) typeOf(e ast.Expr) (name string, writable bool) {
	writable = true
	name = types.TypeString(types.Default(w.types.TypeOf(e)), func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		writable = writable && w.imports[p.Path()]
		return p.Name()
	})
	return name, writable
}
