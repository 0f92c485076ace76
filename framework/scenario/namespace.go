package scenario

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	psapi "k8s.io/pod-security-admission/api"
)

// namespaceLabels are those of the namespaces that the scenario makes. Daemons share files and the network with their nodes, which clusters may forbid by default.
func (s *Scenario) namespaceLabels() map[string]string {
	return map[string]string{NamespaceLabel: s.namespace, psapi.EnforceLevelLabel: string(psapi.LevelPrivileged)}
}

func (s *Scenario) makeNamespace(ctx context.Context, name string) {
	s.tb.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: s.namespaceLabels()}}
	_, err := s.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	s.must(err, "create namespace %s", name)
	s.awaitServiceAccount(ctx, name)
}
