package existing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// liveWithClock renews the node's Lease until the test is over, as a kubelet does whose clock is ahead by that much, but much more often: whoever
// simulates the node renews it as well.
func liveWithClock(t *testing.T, node string, ahead time.Duration) {
	t.Helper()
	g := NewWithT(t)
	leases := admin.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	_, err := leases.Create(t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: node}}, metav1.CreateOptions{})
	g.Expect(err).To(Or(Not(HaveOccurred()), WithTransform(apierrors.IsAlreadyExists, BeTrue())))
	ctx, stop := context.WithCancel(context.Background())
	var renewing sync.WaitGroup
	renewing.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			renewed := fmt.Sprintf(`{"spec": {"renewTime": %q}}`, time.Now().Add(ahead).UTC().Format(metav1.RFC3339Micro))
			if _, err := leases.Patch(ctx, node, types.MergePatchType, []byte(renewed), metav1.PatchOptions{}); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}, 50*time.Millisecond)
	})
	t.Cleanup(func() {
		stop()
		renewing.Wait()
	})
}

func TestClocksAreCompared(t *testing.T) {
	for name, row := range map[string]struct {
		ahead time.Duration
		says  string
	}{
		"the same": {0, ""},
		"ahead":    {5 * time.Second, "ahead of this machine's by 4."},
		"behind":   {-5 * time.Second, "behind this machine's, or its signs of life take 5."},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			node := setAside(t)
			c := mustUse(t)
			liveWithClock(t, node, row.ahead)
			err := c.ClocksAgree(t.Context())
			if row.says == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(And(ContainSubstring(node), ContainSubstring(row.says), ContainSubstring("synchronise"))))
		})
	}
}

func TestANodeWithoutSignsOfLifeIsNotTrusted(t *testing.T) {
	g := NewWithT(t)
	setAside(t)
	c := mustUse(t)
	silent := errors.New("no sign of life")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, silent)
	defer cancel()
	_, err := c.lateness(ctx, "nobody")
	g.Expect(err).To(MatchError(silent))
}
