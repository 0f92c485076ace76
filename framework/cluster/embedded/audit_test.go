package embedded_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/audit"
)

// auditRecords are those of the log from the position on that name the text.
func auditRecords(t *testing.T, position int64, text string) []audit.Record {
	t.Helper()
	g := NewWithT(t)
	in, err := shared.AuditLog().From(t.Context(), position, text)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(in.Close()).To(Succeed()) }()
	events, err := audit.Read(in, text)
	g.Expect(err).NotTo(HaveOccurred())
	var all []audit.Record
	for _, event := range events {
		records, err := audit.Records(event)
		g.Expect(err).NotTo(HaveOccurred())
		all = append(all, records...)
	}
	return all
}

func TestTheAuditLogSaysWhoWroteWhichVersion(t *testing.T) {
	g := NewWithT(t)
	position, err := shared.AuditLog().End(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	made, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "audited"}}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		g.Expect(client.CoreV1().Nodes().Delete(context.WithoutCancel(t.Context()), "audited", metav1.DeleteOptions{})).To(Succeed())
	})
	_, err = client.CoreV1().Nodes().Get(t.Context(), "audited", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	of := func(user, verb string) func() []audit.Record {
		return func() (found []audit.Record) {
			for _, record := range auditRecords(t, position, `"audited"`) {
				if record.User == user && record.Verb == verb {
					found = append(found, record)
				}
			}
			return found
		}
	}
	g.Eventually(of("admin", "create")).WithTimeout(patience).Should(HaveExactElements(SatisfyAll(
		HaveField("UID", made.UID), HaveField("Code", BeEquivalentTo(201)), HaveField("ResourceVersion", Not(BeZero())),
	)))
	g.Eventually(of("system:serviceaccount:kube-system:node-controller", "patch")).WithTimeout(patience).ShouldNot(BeEmpty(),
		"controllers have names of their own")
	g.Expect(of("admin", "get")()).To(BeEmpty(), "what changes nothing is not logged")
}
