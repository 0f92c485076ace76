package kwok

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

func node(name string, uid types.UID) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid, Labels: map[string]string{NodeLabel: NodeLabelValue}}}
}

func TestSimulatedNodesRenewTheirLeases(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset(node("first", "1"), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "real"}})
	every := time.Second / 20
	leases, err := startLeases(t.Context(), client, Nodes{}, every)
	g.Expect(err).NotTo(HaveOccurred())
	defer leases.Stop()

	// renewed is when the node did so last; zero if it has no Lease of that owner.
	renewed := func(name string, owner types.UID) func() (time.Time, error) {
		return func() (time.Time, error) {
			lease, err := client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(t.Context(), name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) || err == nil && lease.OwnerReferences[0].UID != owner {
				return time.Time{}, nil
			}
			if err != nil {
				return time.Time{}, err
			}
			return lease.Spec.RenewTime.Time, nil
		}
	}
	g.Eventually(renewed("first", "1")).Should(BeTemporally(">", time.Now()))

	// Nodes go and come again, more often than KWOK would survive it.
	nodes := client.CoreV1().Nodes()
	for _, uid := range []types.UID{"2", "3", "4"} {
		g.Expect(nodes.Delete(t.Context(), "first", metav1.DeleteOptions{})).To(Succeed())
		_, err := nodes.Create(t.Context(), node("first", uid), metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Eventually(renewed("first", uid)).Should(BeTemporally(">", time.Now()))
	}
	_, err = nodes.Create(t.Context(), node("second", "5"), metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for range 3 {
		g.Eventually(renewed("second", "5")).Should(BeTemporally(">", time.Now()))
		g.Eventually(renewed("first", "4")).Should(BeTemporally(">", time.Now()))
	}

	g.Expect(nodes.Delete(t.Context(), "second", metav1.DeleteOptions{})).To(Succeed())
	g.Eventually(func() bool { leases.mu.Lock(); defer leases.mu.Unlock(); return leases.renewing["second"] == nil }).Should(BeTrue())
	last, err := renewed("second", "5")()
	g.Expect(err).NotTo(HaveOccurred())
	g.Consistently(renewed("second", "5"), 4*every).Should(BeTemporally("<=", last.Add(every)))
	g.Expect(renewed("real", "")()).To(BeZero())
}
