package matchers_test

import (
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// budgetOf is a budget of that generation whose status allows that many disruptions and lists these pods.
func budgetOf(generation int64, allowed int32, listed ...string) *policyv1.PodDisruptionBudget {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "budget", UID: "b", Generation: generation}}
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: allowed, DisruptedPods: map[string]metav1.Time{}}
	for _, pod := range listed {
		budget.Status.DisruptedPods[pod] = metav1.Time{}
	}
	return budget
}

// changed is a history of a budget that allows 2, and is then written once.
func changed(after *policyv1.PodDisruptionBudget, author *history.Author) *history.History {
	entry := func(version uint64, event watch.EventType, budget *policyv1.PodDisruptionBudget) history.Entry {
		return history.Entry{ResourceVersion: version, Type: event, Kind: history.KindPodDisruptionBudget, Object: budget}
	}
	h := &history.History{Entries: []history.Entry{entry(1, watch.Added, budgetOf(1, 2, "old")), entry(2, watch.Modified, after)}}
	h.Entries[1].Author = author
	return h
}

func TestChangesOfABudget(t *testing.T) {
	by := func(who history.Who) *history.Author { return &history.Author{Who: who} }
	for name, row := range map[string]struct {
		event Event
		in    *history.History
		want  int
	}{
		"booked":                            {BudgetBooked("budget", "a"), changed(budgetOf(1, 1, "old", "a"), nil), 1},
		"booked, without listing it":        {BudgetBooked("budget", "a"), changed(budgetOf(1, 1, "old"), nil), 0},
		"booked, without lowering":          {BudgetBooked("budget", "a"), changed(budgetOf(1, 2, "old", "a"), nil), 0},
		"booked before":                     {BudgetBooked("budget", "old"), changed(budgetOf(1, 1, "old"), nil), 0},
		"listed":                            {BudgetLists("budget", "a"), changed(budgetOf(1, 2, "old", "a"), nil), 1},
		"listed before":                     {BudgetLists("budget", "old"), changed(budgetOf(1, 1, "old"), nil), 0},
		"lowered by the API server":         {BudgetLowered("budget"), changed(budgetOf(1, 1, "old"), by(history.APIServer)), 1},
		"counted anew by its controller":    {BudgetLowered("budget"), changed(budgetOf(1, 1, "old"), by(history.Implementation)), 0},
		"lowered by nobody knows whom":      {BudgetLowered("budget"), changed(budgetOf(1, 1, "old", "a"), nil), 1},
		"counted anew by nobody knows whom": {BudgetLowered("budget"), changed(budgetOf(1, 1, "old"), nil), 0},
		"raised":                            {BudgetLowered("budget"), changed(budgetOf(1, 3, "old", "a"), nil), 0},
		"allows another number":             {BudgetAllows("budget", 1), changed(budgetOf(1, 1), nil), 1},
		"allows it for an older generation": {BudgetAllows("budget", 1), changed(budgetOf(2, 1), nil), 0},
		"another spec":                      {BudgetRespecified("budget"), changed(budgetOf(2, 2), nil), 1},
		"the same spec":                     {BudgetRespecified("budget"), changed(budgetOf(1, 0), nil), 0},
		"another budget is not this one":    {BudgetRespecified("other"), changed(budgetOf(2, 2), nil), 0},
		"created":                           {BudgetCreated("budget"), changed(budgetOf(1, 2), nil), 1},
		"there, so that it is not gone":     {BudgetGone("budget"), changed(budgetOf(1, 2), nil), 0},
	} {
		if found := row.event.Find(row.in); len(found) != row.want {
			t.Errorf("%s: %s happens %d times, want %d", name, row.event, len(found), row.want)
		}
	}
}
