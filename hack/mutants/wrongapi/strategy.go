package wrongapi

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"
)

// strategyFaults are about the update strategy and the fields beside it.
func strategyFaults() []Fault {
	return []Fault{
		{Name: "api-rolls-with-parameters", Says: "Takes a strategy with parameters for RollingUpdate.", Breaks: []string{"API-010"},
			Around: storing(func(d *appsv1.DaemonSet) {
				if d.Spec.UpdateStrategy.RollingUpdate != nil {
					d.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
				}
			}, createDaemonSet, updateDaemonSet)},
		{Name: "api-takes-any-strategy", Says: "Takes strategies that there are not.", Breaks: []string{"API-011"},
			Around: believing("Unsupported value", createDaemonSet)},
		{Name: "api-deletes-by-default", Says: "Stores OnDelete where no strategy is given.", Breaks: []string{"API-012"},
			Around: storing(func(d *appsv1.DaemonSet) {
				if d.Spec.UpdateStrategy.Type == "" {
					d.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
				}
			}, createDaemonSet)},
		{Name: "api-defaults-otherwise", Says: "Stores minReadySeconds 5 and revisionHistoryLimit 3 where none are given.", Breaks: []string{"API-013", "API-014"},
			Around: storing(func(d *appsv1.DaemonSet) {
				if d.Spec.MinReadySeconds == 0 {
					d.Spec.MinReadySeconds = 5
				}
				if d.Spec.RevisionHistoryLimit == nil {
					d.Spec.RevisionHistoryLimit = ptr.To[int32](3)
				}
			}, createDaemonSet)},
		{Name: "api-takes-negatives", Says: "Takes a negative minReadySeconds and a negative revisionHistoryLimit.", Breaks: []string{"API-013", "API-014"},
			Around: believing("must be greater than or equal to 0", createDaemonSet)},
		{Name: "api-moves-selectors", Says: "Takes selectors that change, that select nothing, and that do not match the template.", Breaks: []string{"API-022"},
			Around: believing("selector", createDaemonSet, updateDaemonSet)},
	}
}
