package conditions

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// foreignType is the type of the condition that the harness writes, anotherType that of one which it writes with it.
const (
	foreignType appsv1.DaemonSetConditionType = "rollcall.dev/Inspected"
	anotherType appsv1.DaemonSetConditionType = "rollcall.dev/Audited"
)

// foreign is the spec of a condition that somebody else writes.
func foreign() {
	spec.It("leaves the conditions of others as they are when it writes the status",
		spec.Decides("COND-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			inspect(ctx, c, daemonSet, corev1.ConditionTrue)
			c.RollOut(ctx, daemonSet, Image("v2"))
			// Changed while the controller is busy writing numbers.
			rolling := c.Update(ctx, daemonSet, Image("v3"))
			for _, status := range []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionUnknown, corev1.ConditionTrue, corev1.ConditionFalse} {
				inspect(ctx, c, rolling, status)
			}
			c.Await(ctx, RolledOut(rolling))
			c.Await(ctx, Processed(rolling))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(writes, Done(history.WriteStatus)))
			j.Decide("COND-005", leftAlone(writes)...)
		})
}

// writes is how often the harness writes the condition.
const writes = 5

// leftAlone asks that the condition, which the harness writes so often, stays as it is otherwise.
func leftAlone(times int) []Matcher {
	seen := First(StatusWritten().Where("with the condition", func(m Moment) bool { return len(inspection(m.Object)) == both }))
	written := After(StatusWritten(), seen)
	return []Matcher{
		Tested(AtLeast(times+1, written)),
		Never(written.Where("without the condition", func(m Moment) bool { return len(inspection(m.Object)) < both })),
		// Whoever changes it back does so once more than the harness.
		AtMost(times, StatusWritten().Where("that changes the condition", func(m Moment) bool {
			return !equality.Semantic.DeepEqual(inspection(m.Before), inspection(m.Object))
		})),
	}
}

// inspect writes the condition.
func inspect(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, status corev1.ConditionStatus) {
	_, err := c.TryUpdateStatus(ctx, daemonSet, Edit{Says: fmt.Sprintf("condition %s %s", foreignType, status), Apply: func(d *appsv1.DaemonSet) {
		others := slices.DeleteFunc(d.Status.Conditions, func(condition appsv1.DaemonSetCondition) bool {
			return condition.Type == foreignType || condition.Type == anotherType
		})
		// There is one of somebody else before it.
		for _, each := range []appsv1.DaemonSetConditionType{anotherType, foreignType} {
			others = append(others, appsv1.DaemonSetCondition{
				Type: each, Status: status, Reason: "Inspected", Message: "as it should be", LastTransitionTime: metav1.Now(),
			})
		}
		d.Status.Conditions = others
	}})
	if err != nil {
		c.CannotDecide(fmt.Sprintf("harness: write a condition: %v", err))
	}
}

// both are the conditions that the harness writes.
const both = 2

// inspection are those of them that are in the DaemonSet's status, by type: their order is nobody's.
func inspection(object history.Object) map[appsv1.DaemonSetConditionType]appsv1.DaemonSetCondition {
	daemonSet, ok := object.(*appsv1.DaemonSet)
	if !ok {
		return nil
	}
	found := map[appsv1.DaemonSetConditionType]appsv1.DaemonSetCondition{}
	for _, condition := range daemonSet.Status.Conditions {
		if condition.Type == foreignType || condition.Type == anotherType {
			found[condition.Type] = condition
		}
	}
	return found
}
