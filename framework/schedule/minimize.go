package schedule

import "slices"

// Try plays candidates, and returns the place of one that still shows what the schedule is kept for, -1 if none does; and whether there is time for more.
type Try func(candidates []Schedule) (place int, again bool)

// Minimize leaves steps out while the schedule still shows what it is kept for: halves first, then ever smaller parts (delta debugging). The candidates of a round
// are tried together, since on a real control plane they run side by side.
func Minimize(s Schedule, try Try) Schedule {
	parts := 2
	for len(s.Steps) > 1 {
		parts = min(parts, len(s.Steps))
		candidates := s.without(parts)
		place, again := try(candidates)
		switch {
		case place >= 0:
			s, parts = candidates[place], max(parts-1, 2)
		case parts == len(s.Steps):
			return s
		default:
			parts *= 2
		}
		if !again {
			return s
		}
	}
	return s
}

// without are the schedules that lack one of so many parts of the steps. A step that follows what is left out comes no earlier than before.
func (s Schedule) without(parts int) []Schedule {
	var candidates []Schedule
	for part := range parts {
		from, to := part*len(s.Steps)/parts, (part+1)*len(s.Steps)/parts
		candidate := s
		candidate.Steps = slices.Concat(s.Steps[:from], s.Steps[to:])
		if from < len(candidate.Steps) {
			for _, left := range s.Steps[from:to] {
				candidate.Steps[from].Wait += left.Wait
			}
			candidate.Steps[from].Wait = min(candidate.Steps[from].Wait, longestWait)
		}
		candidates = append(candidates, candidate)
	}
	return candidates
}
