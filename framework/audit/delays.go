package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Delays returns the stretches in which a write of the implementation in a history's namespaces, or to a cluster-scoped object, had been without its answer for
// longer than history.OrdinaryAnswer, or in which the harness had not been told of an event whose author had his answer longer than history.OrdinaryNews before:
// nobody else need have been told then. They are in order, and those that touch are one. The log has no reads.
func Delays(h *history.History, records []Record, users Users, authors []history.Authorship) []history.Standstill {
	each := untold(h, authors)
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

// untold are the stretches in which single events had not been told.
func untold(h *history.History, authors []history.Authorship) []history.Standstill {
	answered := make(map[version]time.Time, len(authors))
	for _, authorship := range authors {
		if authorship.Again == nil && !authorship.Author.Answered.IsZero() {
			answered[version{authorship.ResourceVersion, authorship.UID}] = authorship.Author.Answered
		}
	}
	var all []history.Standstill
	for _, entry := range h.Entries {
		if entry.Object == nil {
			continue
		}
		at, known := answered[version{entry.ResourceVersion, entry.Object.GetUID()}]
		if from := at.Add(history.OrdinaryNews); known && from.Before(entry.Time) {
			all = append(all, history.Standstill{From: max(0, from.Sub(h.Start)), Until: entry.Time.Sub(h.Start)})
		}
	}
	return all
}
