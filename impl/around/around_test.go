package around_test

import (
	"context"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/around"
)

func TestTheOuterFunctionIsAppliedToWhatTheInnerOneMakes(t *testing.T) {
	adding := func(letter string) func(string) string { return func(next string) string { return next + letter } }
	for want, both := range map[string][2]func(string) string{
		"xio": {adding("o"), adding("i")},
		"xi":  {nil, adding("i")},
		"xo":  {adding("o"), nil},
	} {
		if got := around.Join(both[0], both[1])("x"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if around.Join[func(string) string](nil, nil) != nil {
		t.Error("two that change nothing are a function")
	}
}

func TestReconcilersAreJoinedTheSame(t *testing.T) {
	adding := func(seconds time.Duration) around.Reconcilers {
		return func(next reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
			return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
				result, err := next.Reconcile(ctx, request)
				return reconcile.Result{RequeueAfter: 10*result.RequeueAfter + seconds}, err
			})
		}
	}
	none := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	for want, joined := range map[time.Duration]around.Reconcilers{
		21: around.JoinReconcilers(adding(1), adding(2)),
		2:  around.JoinReconcilers(nil, adding(2)),
		1:  around.JoinReconcilers(adding(1), nil),
	} {
		if got, err := joined(none, nil).Reconcile(t.Context(), reconcile.Request{}); err != nil || got.RequeueAfter != want {
			t.Errorf("got %v, %v, want %v", got.RequeueAfter, err, want)
		}
	}
}
