package audit

import (
	"cmp"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Delays returns the stretches in which a write of the implementation in a history's namespaces, or to a cluster-scoped object, had been without its answer for
// longer than history.OrdinaryAnswer, in order. Those that touch are one. The log has no reads.
func Delays(h *history.History, records []Record, users Users) []history.Standstill {
	var each []history.Standstill
	for _, record := range records {
		from, until := max(0, record.Received.Add(history.OrdinaryAnswer).Sub(h.Start)), record.Answered.Sub(h.Start)
		if from < until && record.concerns(h, users) {
			each = append(each, history.Standstill{From: from, Until: until})
		}
	}
	slices.SortFunc(each, func(a, b history.Standstill) int { return cmp.Compare(a.From, b.From) })
	var all []history.Standstill
	for _, delay := range each {
		if last := len(all) - 1; last >= 0 && delay.From <= all[last].Until {
			all[last].Until = max(all[last].Until, delay.Until)
		} else {
			all = append(all, delay)
		}
	}
	for i := range all {
		all[i].Outstanding = all[i].Lasted()
	}
	return all
}
