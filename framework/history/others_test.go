package history_test

import (
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestAKindWithoutAViewIsKeptAndItsChangesHaveABefore(t *testing.T) {
	budget := func(healthy int32) *policyv1.PodDisruptionBudget {
		return &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", UID: "u"}, Status: policyv1.PodDisruptionBudgetStatus{CurrentHealthy: healthy}}
	}
	entry := func(how watch.EventType, object history.Object) history.Entry {
		return history.Entry{Type: how, Kind: history.KindPodDisruptionBudget, Object: object}
	}
	c := history.NewCluster("")
	if change := c.Apply(entry(watch.Added, budget(1))); change.Before != nil {
		t.Errorf("there was %v before", change.Before)
	}
	change := c.Apply(entry(watch.Modified, budget(2)))
	if before, ok := change.Before.(*policyv1.PodDisruptionBudget); !ok || before.Status.CurrentHealthy != 1 {
		t.Errorf("before %v, want the budget with 1 healthy pod", change.Before)
	}
	if got := c.Objects(history.KindPodDisruptionBudget); len(got) != 1 {
		t.Errorf("%d budgets, want 1", len(got))
	}
	c.Apply(entry(watch.Deleted, budget(2)))
	if got := c.Objects(history.KindPodDisruptionBudget); len(got) != 0 {
		t.Errorf("%d budgets, want none", len(got))
	}
}
