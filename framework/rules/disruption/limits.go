package disruption

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// IntegerMinAvailable is PDB-001.
func IntegerMinAvailable() judge.Rule {
	return follows("PDB-001", "with an integer minAvailable the numbers of the status are those of the selected pods, promptly", field{
		applies: func(b *budget) bool { return b.alone() && is(b.object.Spec.MinAvailable, intstr.Int) },
		wrong:   (*budget).tallied,
	})
}

// PercentageMinAvailable is PDB-002.
func PercentageMinAvailable() judge.Rule {
	return follows("PDB-002", "desiredHealthy is minAvailable's share of the expected scale, rounded up, promptly",
		desiredOf(func(b *budget) bool { return is(b.object.Spec.MinAvailable, intstr.String) }))
}

// IntegerMaxUnavailable is PDB-003.
func IntegerMaxUnavailable() judge.Rule {
	return follows("PDB-003", "desiredHealthy is the expected scale less maxUnavailable, and at least 0, promptly",
		desiredOf(func(b *budget) bool { return is(b.object.Spec.MaxUnavailable, intstr.Int) }))
}

// PercentageMaxUnavailable is PDB-004.
func PercentageMaxUnavailable() judge.Rule {
	return follows("PDB-004", "desiredHealthy is the expected scale less maxUnavailable's share of it, rounded up, and at least 0, promptly",
		desiredOf(func(b *budget) bool { return is(b.object.Spec.MaxUnavailable, intstr.String) }))
}

func is(limit *intstr.IntOrString, kind intstr.Type) bool { return limit != nil && limit.Type == kind }

func desiredOf(limited func(*budget) bool) field {
	return field{
		applies: func(b *budget) bool { return b.alone() && limited(b) },
		wrong:   func(b *budget) string { return b.differs("desiredHealthy", desired) },
	}
}

// NoneAllowed is PDB-005.
func NoneAllowed() judge.Rule {
	return follows("PDB-005", "minAvailable 100% and maxUnavailable 0 allow no disruption", field{
		applies: func(b *budget) bool {
			minimum, maximum := b.object.Spec.MinAvailable, b.object.Spec.MaxUnavailable
			return b.alone() && len(b.Pods) > 0 && b.Allows(0) && (is(minimum, intstr.String) && minimum.StrVal == "100%" || maximum != nil && percent(maximum) == 0)
		},
		wrong: func(b *budget) string { return b.differs("disruptionsAllowed", allowed) },
	})
}

func percent(limit *intstr.IntOrString) int {
	share, err := intstr.GetScaledValueFromIntOrPercent(limit, 100, true)
	if err != nil {
		return -1
	}
	return share
}

// AllowedRange is PDB-006. The API server stores no negative number.
func AllowedRange() judge.Rule {
	return follows("PDB-006", "disruptionsAllowed is never negative, and promptly 0 when no pod matches", field{
		applies: func(b *budget) bool {
			return !b.relabelled && (b.object.Status.DisruptionsAllowed < 0 || len(b.Pods) == 0 && b.object.Status.ObservedGeneration > 0)
		},
		wrong: func(b *budget) string {
			if b.object.Status.DisruptionsAllowed == 0 {
				return ""
			}
			return (&budget{object: b.object, Reckoning: history.Reckoning{Tallies: []history.Tally{{}}}}).differs("disruptionsAllowed", allowed)
		},
	})
}

// ExpectedScale is PDB-007.
func ExpectedScale() judge.Rule {
	return follows("PDB-007", "expectedPods is promptly the sum of the replicas of the workloads that control the pods, each counted once", field{
		applies: func(b *budget) bool { return b.alone() && b.NeedsScale && len(b.Pods) > 0 },
		wrong:   func(b *budget) string { return b.differs("expectedPods", expected) },
	})
}
