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

// portConflict is what the admission policy says of maxSurge with a host port.
const portConflict = "must be 0 while a container uses a host port"

// portFaults are about maxSurge and host ports.
func portFaults() []Fault {
	return []Fault{
		{Name: "ports-are-nobodys-business", Says: "Takes maxSurge with host ports.",
			Breaks: []string{"HOSTPORT-001", "HOSTPORT-002", "HOSTPORT-003", "HOSTPORT-004", "HOSTPORT-006"},
			Around: believing(portConflict, createDaemonSet, updateDaemonSet)},
		{Name: "ports-of-containers-are-hosts", Says: "Refuses maxSurge with any port of a container.", Breaks: []string{"HOSTPORT-005"},
			Around: refusing(func(d *appsv1.DaemonSet) string {
				if isSet(rolling(d).MaxSurge) && hasPort(d, func(corev1.ContainerPort) bool { return true }) {
					return "spec.updateStrategy.rollingUpdate.maxSurge: must be 0 while a container has a port"
				}
				return ""
			}, createDaemonSet, updateDaemonSet)},
		{Name: "ports-conflict-without-the-gate", Says: "Refuses a new DaemonSet with maxSurge and a host port while the feature gate is off, too.", Breaks: []string{"HOSTPORT-007"},
			Around: refusing(func(d *appsv1.DaemonSet) string {
				if isSet(rolling(d).MaxSurge) && hasHostPort(d) {
					return "spec.updateStrategy.rollingUpdate.maxSurge: " + portConflict
				}
				return ""
			}, createDaemonSet)},
		{Name: "ports-in-conflict-stay", Says: "Refuses every change of a DaemonSet that is stored with maxSurge and a host port.", Breaks: []string{"HOSTPORT-008"},
			Around: refusingUpdates(func(stored, _ *appsv1.DaemonSet) bool { return isSet(rolling(stored).MaxSurge) && hasHostPort(stored) })},
		{Name: "ports-that-go-still-count", Says: "Refuses an update that sets maxSurge and takes the last host port away.", Breaks: []string{"HOSTPORT-005"},
			Around: refusingUpdates(func(stored, sent *appsv1.DaemonSet) bool {
				return !isSet(rolling(stored).MaxSurge) && isSet(rolling(sent).MaxSurge) && hasHostPort(stored) && !hasHostPort(sent)
			})},
	}
}

// refusingUpdates refuses updates for their host ports of which the function says so, given what there is and what is sent.
func refusingUpdates(such func(stored, sent *appsv1.DaemonSet) bool) around {
	return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		object, r, err := sent[appsv1.DaemonSet](r)
		if err != nil {
			return err
		}
		stored, err := storedDaemonSet(api, r)
		if err != nil {
			return err
		}
		if such(stored, object) {
			refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "spec.updateStrategy.rollingUpdate.maxSurge: "+portConflict)
			return nil
		}
		api.ServeHTTP(w, r)
		return nil
	}, updateDaemonSet)
}

// storedDaemonSet reads the DaemonSet that the request is to change.
func storedDaemonSet(api http.Handler, r *http.Request) (*appsv1.DaemonSet, error) {
	stored := &appsv1.DaemonSet{}
	if err := json.Unmarshal(ask(api, getting(r, r.URL.Path)).Body.Bytes(), stored); err != nil {
		return nil, fmt.Errorf("read what is stored: %w", err)
	}
	return stored, nil
}

// overlooking has requests with a conflict of host ports taken about which the function says so, given what is sent and what reads what there is.
func overlooking(which func(sent *appsv1.DaemonSet, stored func() (*appsv1.DaemonSet, error)) (bool, error), patterns ...string) around {
	return func(api http.Handler) http.Handler {
		believes := believing(portConflict, patterns...)(api)
		return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
			object, r, err := sent[appsv1.DaemonSet](r)
			if err != nil {
				return err
			}
			overlooked, err := which(object, func() (*appsv1.DaemonSet, error) { return storedDaemonSet(api, r) })
			if err != nil {
				return err
			}
			if overlooked {
				api = believes
			}
			api.ServeHTTP(w, r)
			return nil
		}, patterns...)(api)
	}
}

// overlookedPortFaults are about DaemonSets that come to have both by an update.
func overlookedPortFaults() []Fault {
	updates := func(such func(stored, sent *appsv1.DaemonSet) bool) around {
		return overlooking(func(sent *appsv1.DaemonSet, stored func() (*appsv1.DaemonSet, error)) (bool, error) {
			before, err := stored()
			return err == nil && such(before, sent), err
		}, updateDaemonSet)
	}
	initPorts := func(d *appsv1.DaemonSet) bool {
		return slices.ContainsFunc(d.Spec.Template.Spec.InitContainers, func(c corev1.Container) bool { return len(c.Ports) > 0 })
	}
	return []Fault{
		{Name: "ports-come-unseen-with-the-hosts-network", Says: "Takes an update by which the pods of a DaemonSet with maxSurge come to be on the host's network.",
			Breaks: []string{"HOSTPORT-004"},
			Around: updates(func(stored, sent *appsv1.DaemonSet) bool {
				return sent.Spec.Template.Spec.HostNetwork && !stored.Spec.Template.Spec.HostNetwork
			})},
		{Name: "ports-come-unseen-with-init-containers", Says: "Takes an update by which init containers of a DaemonSet with maxSurge come to have host ports.",
			Breaks: []string{"HOSTPORT-006"},
			Around: updates(func(stored, sent *appsv1.DaemonSet) bool { return initPorts(sent) && !initPorts(stored) })},
		{Name: "surge-comes-unseen-with-a-strategy", Says: "Takes an update of a DaemonSet with host ports from OnDelete to RollingUpdate with maxSurge.",
			Breaks: []string{"HOSTPORT-002"},
			Around: updates(func(stored, _ *appsv1.DaemonSet) bool {
				return stored.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
			})},
		{Name: "ports-change-unseen", Says: "Takes an update of a DaemonSet with maxSurge and a host port to another host port.", Breaks: []string{"HOSTPORT-003"},
			Around: updates(func(stored, _ *appsv1.DaemonSet) bool {
				return isSet(rolling(stored).MaxSurge) && hasHostPort(stored)
			})},
	}
}

// partlySeenPortFaults are about some host ports, or some values of maxSurge.
func partlySeenPortFaults() []Fault {
	all := func(such func(d *appsv1.DaemonSet) bool) around {
		return overlooking(func(sent *appsv1.DaemonSet, _ func() (*appsv1.DaemonSet, error)) (bool, error) {
			return such(sent), nil
		}, createDaemonSet, updateDaemonSet)
	}
	return []Fault{
		{Name: "ports-go-with-percentages", Says: "Takes a percentage of maxSurge with host ports.", Breaks: []string{"HOSTPORT-001"},
			Around: all(func(d *appsv1.DaemonSet) bool {
				surge := rolling(d).MaxSurge
				return surge != nil && surge.Type == intstr.String
			})},
		{Name: "ports-do-not-go-with-zero-percent", Says: "Refuses any percentage of maxSurge with host ports, 0% among them.", Breaks: []string{"HOSTPORT-005"},
			Around: refusing(func(d *appsv1.DaemonSet) string {
				surge := rolling(d).MaxSurge
				if surge != nil && surge.Type == intstr.String && hasHostPort(d) {
					return "spec.updateStrategy.rollingUpdate.maxSurge: " + portConflict
				}
				return ""
			}, createDaemonSet, updateDaemonSet)},
		{Name: "ports-go-with-percentages-by-update", Says: "Takes an update to a percentage of maxSurge with host ports.", Breaks: []string{"HOSTPORT-002"},
			Around: overlooking(func(sent *appsv1.DaemonSet, _ func() (*appsv1.DaemonSet, error)) (bool, error) {
				surge := rolling(sent).MaxSurge
				return surge != nil && surge.Type == intstr.String, nil
			}, updateDaemonSet)},
		{Name: "ports-are-those-of-tcp", Says: "Takes maxSurge with host ports of UDP.", Breaks: []string{"HOSTPORT-001"},
			Around: all(func(d *appsv1.DaemonSet) bool {
				datagrams := func(port corev1.ContainerPort) bool { return port.Protocol == corev1.ProtocolUDP }
				return hasPort(d, datagrams) && !hasPort(d, func(port corev1.ContainerPort) bool { return !datagrams(port) })
			})},
		{Name: "ports-are-those-of-the-first-container", Says: "Takes maxSurge with host ports of any container but the first.", Breaks: []string{"HOSTPORT-001"},
			Around: all(func(d *appsv1.DaemonSet) bool {
				containers := d.Spec.Template.Spec.Containers
				return len(containers) > 1 && len(containers[0].Ports) == 0
			})},
		{Name: "ports-of-init-containers-need-a-host-port", Says: "Takes maxSurge with ports of init containers on the host's network.", Breaks: []string{"HOSTPORT-004"},
			Around: all(func(d *appsv1.DaemonSet) bool {
				return d.Spec.Template.Spec.HostNetwork && !hasPort(d, func(corev1.ContainerPort) bool { return true })
			})},
	}
}

// hasPort reports whether a container of the template has such a port.
func hasPort(d *appsv1.DaemonSet, such func(corev1.ContainerPort) bool) bool {
	return slices.ContainsFunc(d.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return slices.ContainsFunc(c.Ports, such) })
}

func hasHostPort(d *appsv1.DaemonSet) bool {
	return hasPort(d, func(port corev1.ContainerPort) bool { return port.HostPort != 0 })
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
		{Name: "gate-off-keeps-zero-percent", Says: "Says that it stored the maxUnavailable of 0 % that came with a maxSurge which the feature gate has dropped.",
			Breaks: []string{"GATE-004"},
			Around: telling(func(sent, stored *appsv1.DaemonSet) {
				if unavailable := rolling(sent).MaxUnavailable; unavailable != nil && unavailable.StrVal == "0%" {
					stored.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = unavailable
				}
			}, createDaemonSet, updateDaemonSet)},
		{Name: "gate-off-drops-stored-surge", Says: "Stores the defaults in the place of the limits with every update.", Breaks: []string{"GATE-005"},
			Around: storing(func(d *appsv1.DaemonSet) { d.Spec.UpdateStrategy.RollingUpdate = nil }, updateDaemonSet)},
		{Name: "gate-off-keeps-what-is-cleared", Says: "Stores the limits that there were with an update that takes maxSurge away.", Breaks: []string{"GATE-005"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				object, r, err := sent[appsv1.DaemonSet](r)
				if err != nil {
					return err
				}
				stored, err := storedDaemonSet(api, r)
				if err != nil {
					return err
				}
				if isSet(rolling(stored).MaxSurge) && !isSet(rolling(object).MaxSurge) {
					object.Spec.UpdateStrategy = stored.Spec.UpdateStrategy
				}
				return pass(api, w, r, object)
			}, updateDaemonSet)},
	}
}
