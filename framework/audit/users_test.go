package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestUsersAreToldApartByTheirNames(t *testing.T) {
	users := audit.Users{
		Implementation: []string{"system:serviceaccount:example:controller", "system:kube-controller-manager"}, Harness: []string{"kubernetes-admin"},
	}
	for user, who := range map[string]history.Who{
		"system:serviceaccount:example:controller": history.Implementation,
		"system:kube-controller-manager":           history.Implementation,
		"kubernetes-admin":                         history.Harness,
		"system:kube-scheduler":                    history.Scheduler,
		"system:node:worker-1":                     history.Kubelet,
		"system:kwok":                              history.KWOK,
		"system:apiserver":                         history.APIServer,
		"system:serviceaccount:kube-system:generic-garbage-collector": history.GarbageCollector,
		"system:serviceaccount:kube-system:pod-garbage-collector":     history.PodGarbageCollector,
		"system:serviceaccount:kube-system:node-controller":           history.NodeLifecycle,
		"system:serviceaccount:kube-system:namespace-controller":      history.NamespaceController,
		"system:serviceaccount:kube-system:disruption-controller":     history.DisruptionController,
		"system:serviceaccount:kube-system:daemon-set-controller":     history.DaemonSetController,
		"system:serviceaccount:kube-system:statefulset-controller":    history.ControllerManager,
		"system:serviceaccount:kube-system:coredns":                   history.Unknown,
		"system:serviceaccount:elsewhere:namespace-controller":        history.Unknown,
		"somebody": history.Unknown,
		"":         history.Unknown,
	} {
		NewWithT(t).Expect(users.Who(user)).To(Equal(who), user)
	}
	NewWithT(t).Expect(audit.Users{}.Who("system:kube-controller-manager")).To(Equal(history.ControllerManager), "where it is not the implementation")
}
