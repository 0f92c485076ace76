package wrongapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// portFaults are about maxSurge and host ports.
func portFaults() []Fault {
	const conflict = "must be 0 while a container uses a host port"
	return []Fault{
		{Name: "ports-are-nobodys-business", Says: "Takes maxSurge with host ports.",
			Breaks: []string{"HOSTPORT-001", "HOSTPORT-002", "HOSTPORT-003", "HOSTPORT-004", "HOSTPORT-006"},
			Around: believing(conflict, createDaemonSet, updateDaemonSet)},
		{Name: "ports-of-containers-are-hosts", Says: "Refuses maxSurge with any port of a container.", Breaks: []string{"HOSTPORT-005"},
			Around: refusing(func(d *appsv1.DaemonSet) string {
				if isSet(rolling(d).MaxSurge) && hasPort(d, func(corev1.ContainerPort) bool { return true }) {
					return "spec.updateStrategy.rollingUpdate.maxSurge: must be 0 while a container has a port"
				}
				return ""
			}, createDaemonSet, updateDaemonSet)},
		{Name: "ports-in-conflict-stay", Says: "Refuses every change of a DaemonSet that is stored with maxSurge and a host port.", Breaks: []string{"HOSTPORT-008"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				var stored appsv1.DaemonSet
				if err := json.Unmarshal(ask(api, getting(r, r.URL.Path)).Body.Bytes(), &stored); err != nil {
					return fmt.Errorf("read what is stored: %w", err)
				}
				if isSet(rolling(&stored).MaxSurge) && hasPort(&stored, func(port corev1.ContainerPort) bool { return port.HostPort != 0 }) {
					refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "spec.updateStrategy.rollingUpdate.maxSurge: "+conflict)
					return nil
				}
				api.ServeHTTP(w, r)
				return nil
			}, updateDaemonSet)},
	}
}

// overlookedPortFaults are about DaemonSets that come to have both by an update.
func overlookedPortFaults() []Fault {
	const conflict = "must be 0 while a container uses a host port"
	overlooking := func(which func(stored, sent *appsv1.DaemonSet) bool) around {
		return func(api http.Handler) http.Handler {
			believes := believing(conflict, updateDaemonSet)(api)
			return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				object, r, err := sent[appsv1.DaemonSet](r)
				if err != nil {
					return err
				}
				var stored appsv1.DaemonSet
				if err := json.Unmarshal(ask(api, getting(r, r.URL.Path)).Body.Bytes(), &stored); err != nil {
					return fmt.Errorf("read what is stored: %w", err)
				}
				if which(&stored, object) {
					api = believes
				}
				api.ServeHTTP(w, r)
				return nil
			}, updateDaemonSet)(api)
		}
	}
	initPorts := func(d *appsv1.DaemonSet) bool {
		return slices.ContainsFunc(d.Spec.Template.Spec.InitContainers, func(c corev1.Container) bool { return len(c.Ports) > 0 })
	}
	return []Fault{
		{Name: "ports-come-unseen-with-the-hosts-network", Says: "Takes an update by which the pods of a DaemonSet with maxSurge come to be on the host's network.",
			Breaks: []string{"HOSTPORT-004"},
			Around: overlooking(func(stored, sent *appsv1.DaemonSet) bool {
				return sent.Spec.Template.Spec.HostNetwork && !stored.Spec.Template.Spec.HostNetwork
			})},
		{Name: "ports-come-unseen-with-init-containers", Says: "Takes an update by which init containers of a DaemonSet with maxSurge come to have host ports.",
			Breaks: []string{"HOSTPORT-006"},
			Around: overlooking(func(stored, sent *appsv1.DaemonSet) bool { return initPorts(sent) && !initPorts(stored) })},
		{Name: "surge-comes-unseen-with-a-strategy", Says: "Takes an update of a DaemonSet with host ports from OnDelete to RollingUpdate with maxSurge.",
			Breaks: []string{"HOSTPORT-002"},
			Around: overlooking(func(stored, _ *appsv1.DaemonSet) bool {
				return stored.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
			})},
	}
}

// hasPort reports whether a container of the template has such a port.
func hasPort(d *appsv1.DaemonSet, such func(corev1.ContainerPort) bool) bool {
	return slices.ContainsFunc(d.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return slices.ContainsFunc(c.Ports, such) })
}

// gateFaults are about what is stored while the feature gate of surge is off.
func gateFaults() []Fault {
	return []Fault{
		{Name: "gate-off-keeps-all-surge", Says: "Says that it stored maxSurge where the feature gate has it dropped.", Breaks: []string{"GATE-004"},
			Around: telling(func(sent, stored *appsv1.DaemonSet) {
				stored.Spec.UpdateStrategy.RollingUpdate = sent.Spec.UpdateStrategy.RollingUpdate
			}, createDaemonSet, updateDaemonSet)},
		{Name: "gate-off-keeps-percentages", Says: "Says that it stored a percentage of maxSurge where the feature gate has it dropped.", Breaks: []string{"GATE-004"},
			Around: telling(func(sent, stored *appsv1.DaemonSet) {
				if surge := rolling(sent).MaxSurge; surge != nil && surge.Type == intstr.String {
					stored.Spec.UpdateStrategy.RollingUpdate = sent.Spec.UpdateStrategy.RollingUpdate
				}
			}, createDaemonSet, updateDaemonSet)},
		{Name: "gate-off-drops-stored-surge", Says: "Stores the defaults in the place of the limits with every update.", Breaks: []string{"GATE-005"},
			Around: storing(func(d *appsv1.DaemonSet) { d.Spec.UpdateStrategy.RollingUpdate = nil }, updateDaemonSet)},
	}
}
