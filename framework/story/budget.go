package story

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// How much of a budget's life is shown: instants before and after the violation.
const (
	instantsBefore = 14
	instantsAfter  = 5
)

// budgets follows the numbers of every PodDisruptionBudget in a replay.
type budgets struct {
	about func(*policyv1.PodDisruptionBudget) bool
	seen  map[types.UID]*budgetSeen
}

type budgetSeen struct {
	name, limit string
	selected    map[string]bool
	instants    []instant
}

type instant struct {
	picture.Instant
	time time.Time
	// index of the entry.
	index int
}

// budgetsOf returns those of the budgets that the violation is about: it names them, or its window shows them, or pods that they select.
func budgetsOf(v judge.Violation) *budgets {
	return &budgets{seen: map[types.UID]*budgetSeen{}, about: func(budget *policyv1.PodDisruptionBudget) bool {
		if slices.Contains(strings.FieldsFunc(v.Got, func(r rune) bool { return r == ' ' || r == ':' || r == ',' }), budget.Name) {
			return true
		}
		return slices.ContainsFunc(v.Window, func(entry history.Entry) bool {
			if pod, ok := entry.Object.(*corev1.Pod); ok {
				return history.Selects(budget, pod)
			}
			return entry.Object != nil && entry.Object.GetUID() == budget.UID || isEviction(entry) && entry.Exchange.Namespace == budget.Namespace
		})
	}}
}

// allBudgets follows every budget.
func allBudgets() *budgets {
	return &budgets{seen: map[types.UID]*budgetSeen{}, about: func(*policyv1.PodDisruptionBudget) bool { return true }}
}

func isEviction(entry history.Entry) bool {
	return entry.Exchange != nil && entry.Exchange.Subresource == "eviction" && entry.Exchange.Verb == "create"
}

// see adds an instant to each budget whose numbers change, or of whose pods one is evicted, or refused to be.
func (b *budgets) see(cluster *history.Cluster, entry history.Entry, index int) {
	for _, budget := range cluster.Budgets() {
		// One without a status has no numbers yet.
		if !b.about(budget) || budget.Status.ObservedGeneration == 0 {
			continue
		}
		known := b.seen[budget.UID]
		if known == nil {
			known = &budgetSeen{name: budget.Name, selected: map[string]bool{}}
			b.seen[budget.UID] = known
		}
		known.limit = budgetOf(budget)
		known.see(cluster, budget, entry, index)
	}
}

func (b *budgetSeen) see(cluster *history.Cluster, budget *policyv1.PodDisruptionBudget, entry history.Entry, index int) {
	now := instant{time: cluster.Time, index: index, Instant: picture.Instant{
		Expected: int(budget.Status.ExpectedPods), Desired: int(budget.Status.DesiredHealthy), Allowed: int(budget.Status.DisruptionsAllowed),
		Reported: int(budget.Status.CurrentHealthy),
	}}
	for _, pod := range cluster.SelectedBy(budget) {
		b.selected[pod.Name] = true
		if isHealthy(pod) {
			now.Healthy++
		}
	}
	if isEviction(entry) && b.selected[entry.Exchange.Name] {
		now.Pod, now.Eviction = entry.Exchange.Name, picture.Refused
		if entry.Exchange.Accepted() {
			now.Eviction = picture.Accepted
		}
	}
	if n := len(b.instants); n > 0 && now.Eviction == "" && sameNumbers(b.instants[n-1].Instant, now.Instant) {
		return
	}
	b.instants = append(b.instants, now)
}

func isHealthy(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil && history.IsReady(pod) }

func sameNumbers(a, b picture.Instant) bool {
	a.Pod, a.Eviction = b.Pod, b.Eviction
	return a == b
}

// pictures are those of the budgets around the moment, by name. broke is the index of the entry that broke the promise, or the last before that.
func (b *budgets) pictures(broke int, moment time.Time) []picture.Budget {
	var drawn []picture.Budget
	for _, budget := range b.byName() {
		at := 0
		for i, instant := range budget.instants {
			if instant.index <= broke {
				at = i
			}
		}
		shown := picture.Budget{Name: budget.name, Limit: budget.limit}
		for i := max(0, at-instantsBefore); i < min(len(budget.instants), at+instantsAfter+1); i++ {
			instant := budget.instants[i]
			instant.At, instant.Broke = sinceMoment(instant.time, moment), i == at
			shown.Instants = append(shown.Instants, instant.Instant)
		}
		drawn = append(drawn, shown)
	}
	return drawn
}

// byName are the budgets that were seen.
func (b *budgets) byName() []*budgetSeen {
	var all []*budgetSeen
	for _, uid := range slices.SortedFunc(maps.Keys(b.seen), func(x, y types.UID) int {
		return strings.Compare(b.seen[x].name+string(x), b.seen[y].name+string(y))
	}) {
		all = append(all, b.seen[uid])
	}
	return all
}

// during are the pictures of the budgets throughout a part of the recording that began at the start, by name; none of those that have no instant in it.
func (b *budgets) during(start time.Time, part Part) []picture.Budget {
	var drawn []picture.Budget
	for _, budget := range b.byName() {
		shown := picture.Budget{Name: budget.name, Limit: budget.limit}
		for _, instant := range budget.instants {
			if instant.At = sinceMoment(instant.time, start); part.covers(instant.At) {
				shown.Instants = append(shown.Instants, instant.Instant)
			}
		}
		if len(shown.Instants) > 0 {
			drawn = append(drawn, shown)
		}
	}
	return drawn
}
