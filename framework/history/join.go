package history

import "slices"

// Join makes one history of recordings of the same kinds that follow each other, each begun before the one before it ended. It is what a single recording would
// have been: what the next one holds up to where the one before it was proven complete, its first state among it, is left out.
func Join(parts ...*History) *History {
	joined := *parts[0]
	joined.Entries, joined.Evidence = slices.Clone(joined.Entries), slices.Clone(joined.Evidence)
	joined.Gaps, joined.Standstills = slices.Clone(joined.Gaps), slices.Clone(joined.Standstills)
	for _, next := range parts[1:] {
		later := next.Start.Sub(joined.Start)
		last := joined.last()
		for _, entry := range next.Entries {
			if entry.ResourceVersion > last {
				entry.Received += later
				joined.Entries = append(joined.Entries, entry)
			}
		}
		for _, entry := range next.Evidence {
			entry.Received += later
			joined.Evidence = append(joined.Evidence, entry)
		}
		for _, standstill := range next.Standstills {
			standstill.From, standstill.Until = standstill.From+later, standstill.Until+later
			if !slices.Contains(joined.Standstills, standstill) {
				joined.Standstills = append(joined.Standstills, standstill)
			}
		}
		joined.Gaps = append(joined.Gaps, next.Gaps...)
		if joined.Damage == "" {
			joined.Damage = next.Damage
		}
		joined.CaughtUp = joined.CaughtUp && next.CaughtUp
	}
	return &joined
}

// last is the version of the last entry.
func (h *History) last() uint64 {
	if len(h.Entries) == 0 {
		return 0
	}
	return h.Entries[len(h.Entries)-1].ResourceVersion
}

// Through leaves out what is behind a version up to which the recording was proven complete while it was made.
func (h *History) Through(version uint64) {
	h.Entries = slices.DeleteFunc(h.Entries, func(entry Entry) bool { return entry.ResourceVersion > version })
	h.CaughtUp, h.Damage = true, ""
}
