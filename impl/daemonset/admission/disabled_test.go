package admission

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/impl/features"
)

// limits returns a DaemonSet with these; an empty one is not set. Without any there is no rollingUpdate.
func limits(surge, unavailable string) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{}
	if surge == "" && unavailable == "" {
		return ds
	}
	ds.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: parse(surge), MaxUnavailable: parse(unavailable)}
	return ds
}

func parse(limit string) *intstr.IntOrString {
	if limit == "" {
		return nil
	}
	parsed := intstr.Parse(limit)
	return &parsed
}

func TestFieldsOfADisabledFeatureAreDroppedWhereTheyWereNotUsed(t *testing.T) {
	for _, c := range []struct {
		says                 string
		before, after, wants *appsv1.DaemonSet
		on                   bool
	}{
		{says: "created with maxSurge (GATE-004)", after: limits("1", "0"), wants: limits("", "1")},
		{says: "created with percentages", after: limits("25%", "0%"), wants: limits("", "1")},
		{says: "created with both limits", after: limits("1", "3"), wants: limits("", "3")},
		{says: "created with maxSurge alone", after: limits("1", ""), wants: limits("", "")},
		{says: "created without maxSurge", after: limits("0", "2"), wants: limits("0", "2")},
		{says: "created without limits", after: limits("", ""), wants: limits("", "")},
		{says: "created with neither (GATE-009)", after: limits("0", "0"), wants: limits("0", "0")},
		{says: "maxSurge that is none, for validation", after: limits("many", "0"), wants: limits("", "1")},
		{says: "updated to use maxSurge (GATE-004)", before: limits("0", "1"), after: limits("2", "0"), wants: limits("", "1")},
		{says: "updated, and had none", before: limits("", ""), after: limits("2", "0"), wants: limits("", "1")},
		{says: "stored maxSurge, unrelated update (GATE-005)", before: limits("1", "0"), after: limits("1", "0"), wants: limits("1", "0")},
		{says: "stored maxSurge, another one (GATE-005)", before: limits("1", "0"), after: limits("3", "0"), wants: limits("3", "0")},
		{says: "stored maxSurge, cleared (GATE-005)", before: limits("1", "0"), after: limits("", "1"), wants: limits("", "1")},
		{says: "stored maxSurge, cleared without a maxUnavailable (GATE-009)", before: limits("1", "0"), after: limits("0", "0"), wants: limits("0", "0")},
		{says: "on", on: true, after: limits("1", "0"), wants: limits("1", "0")},
	} {
		t.Run(c.says, func(t *testing.T) {
			g := NewWithT(t)
			gates, err := features.New()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(gates.Set(fmt.Sprintf("DaemonSetUpdateSurge=%t", c.on))).To(Succeed())
			before := c.before.DeepCopy()
			DropDisabledFields(gates, c.after, c.before)
			if c.wants.Spec.UpdateStrategy.RollingUpdate == nil && c.after.Spec.UpdateStrategy.RollingUpdate != nil {
				c.wants.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{}
			}
			g.Expect(c.after).To(Equal(c.wants))
			g.Expect(c.before).To(Equal(before))
		})
	}
}
