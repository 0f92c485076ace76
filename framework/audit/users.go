package audit

import (
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Users are the user names that only those who started the cluster know.
type Users struct {
	// Implementation are the names of the controller under test; none if it is not known.
	Implementation []string `json:"implementation,omitempty"`
	// Harness are the names under which scenarios act.
	Harness []string `json:"harness,omitempty"`
}

// KWOKUser is the user name that KWOK, which simulates nodes, is to have.
const KWOKUser = "system:kwok"

// controllerAccount is the prefix of the service accounts of kube-controller-manager's controllers, with --use-service-account-credentials.
const controllerAccount = "system:serviceaccount:kube-system:"

// controllers are those of kube-controller-manager that are told apart, by the names of their service accounts. The taint manager and the controller
// that watches over nodes share one.
func controllers() map[string]history.Who {
	return map[string]history.Who{
		"generic-garbage-collector": history.GarbageCollector,
		"pod-garbage-collector":     history.PodGarbageCollector,
		"node-controller":           history.NodeLifecycle,
		"namespace-controller":      history.NamespaceController,
		"disruption-controller":     history.DisruptionController,
		"daemon-set-controller":     history.DaemonSetController,
	}
}

// Who returns who the user is.
func (u Users) Who(user string) history.Who {
	account, isAccount := strings.CutPrefix(user, controllerAccount)
	switch {
	case slices.Contains(u.Implementation, user):
		return history.Implementation
	case slices.Contains(u.Harness, user):
		return history.Harness
	case user == "system:kube-scheduler":
		return history.Scheduler
	case user == KWOKUser:
		return history.KWOK
	case strings.HasPrefix(user, "system:node:"):
		return history.Kubelet
	case user == "system:kube-controller-manager":
		return history.ControllerManager
	case user == "system:apiserver":
		return history.APIServer
	case !isAccount:
		return history.Unknown
	}
	if who, known := controllers()[account]; known {
		return who
	}
	if strings.HasSuffix(account, "-controller") {
		return history.ControllerManager
	}
	return history.Unknown
}
