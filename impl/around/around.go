// Package around joins the functions that variants of the reference are: each takes a part of the reference, and returns another in its place.
package around

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconcilers returns another reconciler in the place of the next one; it may use the client.
type Reconcilers = func(next reconcile.Reconciler, c client.Client) reconcile.Reconciler

// Join returns a function that applies inner, then outer. One that is nil changes nothing.
func Join[F ~func(T) T, T any](outer, inner F) F {
	switch {
	case outer == nil:
		return inner
	case inner == nil:
		return outer
	}
	return func(next T) T { return outer(inner(next)) }
}

// JoinReconcilers is Join for functions around reconcilers.
func JoinReconcilers(outer, inner Reconcilers) Reconcilers {
	switch {
	case outer == nil:
		return inner
	case inner == nil:
		return outer
	}
	return func(next reconcile.Reconciler, c client.Client) reconcile.Reconciler { return outer(inner(next, c), c) }
}
