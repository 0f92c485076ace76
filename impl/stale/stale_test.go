package stale_test

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rollcall-conformance/rollcall/impl/stale"
)

func TestOnlyOutdatedViewsAreNoFailure(t *testing.T) {
	g := NewWithT(t)
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "a")
	one := fmt.Errorf("delete pod a: %w", stale.Because(gone))
	g.Expect(one).To(MatchError(stale.ErrView))
	g.Expect(apierrors.IsNotFound(one)).To(BeTrue(), "the cause is kept")
	g.Expect(one.Error()).To(ContainSubstring(gone.Error()))
	g.Expect(stale.Only(one)).To(BeTrue())
	g.Expect(stale.Only(errors.Join(one, one))).To(BeTrue())
	g.Expect(stale.Only(errors.Join(one, errors.New("quota")))).To(BeFalse())
	g.Expect(stale.Only(errors.New("quota"))).To(BeFalse())
}

func TestVersionsThatCannotBeComparedAreNotOlder(t *testing.T) {
	g := NewWithT(t)
	g.Expect(stale.Older("9", "10")).To(BeTrue())
	g.Expect(stale.Older("10", "10")).To(BeFalse())
	g.Expect(stale.Older("11", "10")).To(BeFalse())
	g.Expect(stale.Older("a", "b")).To(BeFalse())
}
