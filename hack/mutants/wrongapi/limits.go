package wrongapi

import (
	"encoding/json"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// The requests by which DaemonSets are written.
const (
	createDaemonSet = "POST /apis/apps/v1/namespaces/{namespace}/daemonsets"
	updateDaemonSet = "PUT /apis/apps/v1/namespaces/{namespace}/daemonsets/{name}"
	updateStatus    = updateDaemonSet + "/status"
)

// limitFaults are about maxSurge and maxUnavailable.
func limitFaults() []Fault {
	return []Fault{
		{Name: "api-forgets-percentages", Says: "Stores a percentage of maxSurge as that number.", Breaks: []string{"API-001"},
			Around: storing(func(d *appsv1.DaemonSet) {
				if surge := rolling(d).MaxSurge; surge != nil && surge.Type == intstr.String {
					*surge = intstr.Parse(surge.StrVal[:len(surge.StrVal)-1])
				}
			}, createDaemonSet)},
		{Name: "api-surges-by-default", Says: "Stores maxSurge 1 and maxUnavailable 0 where neither is given.", Breaks: []string{"API-002", "API-003"},
			Around: storing(func(d *appsv1.DaemonSet) {
				limits, surges := rolling(d), d.Spec.UpdateStrategy.RollingUpdate != nil && isSet(d.Spec.UpdateStrategy.RollingUpdate.MaxSurge)
				if limits.MaxUnavailable == nil && !surges && d.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
					d.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: ptr.To(intstr.FromInt32(1)), MaxUnavailable: ptr.To(intstr.FromInt32(0))}
				}
			}, createDaemonSet)},
		{Name: "api-insists-on-unavailability", Says: "Refuses maxUnavailable 0, whatever maxSurge is.", Breaks: []string{"API-004"},
			Around: refusing(func(d *appsv1.DaemonSet) string {
				if unavailable := rolling(d).MaxUnavailable; unavailable != nil && !isSet(unavailable) {
					return "spec.updateStrategy.rollingUpdate.maxUnavailable: must not be 0"
				}
				return ""
			}, createDaemonSet, updateDaemonSet)},
		{Name: "api-takes-any-limits", Says: "Takes limits that are both zero, and any that are no limits.",
			Breaks: []string{"API-005", "API-008", "API-009", "GATE-009"}, Around: believing("rollingUpdate", createDaemonSet, updateDaemonSet)},
		{Name: "api-ignores-one-limit", Says: "Stores maxUnavailable 0 where maxSurge is above zero.", Breaks: []string{"API-006"},
			Around: storing(func(d *appsv1.DaemonSet) {
				if limits := rolling(d); isSet(limits.MaxSurge) && isSet(limits.MaxUnavailable) {
					*limits.MaxUnavailable = intstr.FromInt32(0)
				}
			}, createDaemonSet, updateDaemonSet)},
		{Name: "api-names-no-field", Says: "Refuses what is invalid without a word about the field.", Breaks: []string{"API-007", "API-008"},
			Around: answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
				answer := ask(api, r)
				var status metav1.Status
				if answer.Code != http.StatusUnprocessableEntity || json.Unmarshal(answer.Body.Bytes(), &status) != nil {
					return hand(w, answer)
				}
				refuse(w, status.Code, status.Reason, "the DaemonSet is invalid")
				return nil
			}, createDaemonSet, updateDaemonSet)},
	}
}

// rolling returns the limits of a DaemonSet, to be changed; none has empty ones.
func rolling(d *appsv1.DaemonSet) *appsv1.RollingUpdateDaemonSet {
	if limits := d.Spec.UpdateStrategy.RollingUpdate; limits != nil {
		return limits
	}
	return &appsv1.RollingUpdateDaemonSet{}
}

// isSet reports whether a limit is there and not zero.
func isSet(limit *intstr.IntOrString) bool {
	return limit != nil && limit.String() != "0" && limit.String() != "0%"
}
