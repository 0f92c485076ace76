package run

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

// point is a write of the implementation: the number of its kind, counted from 1 since the recording began.
type point struct {
	verb, resource string
	number         int
}

// occasion is what makes two writes alike: what they do, and what the harness had done last.
type occasion struct {
	verb, resource string
	after          history.Act
}

// points are the implementation's writes in a recording, by the authors of its events, in order; of those that are alike the first.
func points(h *history.History) []point {
	var found []point
	last, counted, known := history.Act(""), map[point]int{}, map[occasion]bool{}
	for _, entry := range h.Entries {
		if entry.Stimulus != nil {
			last = entry.Stimulus.Act
		}
		if entry.Author == nil || entry.Author.Who != history.Implementation {
			continue
		}
		definition, err := history.Define(entry.Kind)
		if err != nil {
			continue
		}
		kind := point{verb: entry.Author.Verb, resource: path.Join(definition.GroupResource().Resource, entry.Author.Subresource)}
		counted[kind]++
		this := occasion{kind.verb, kind.resource, last}
		if schedule.MayFail(kind.verb) && !known[this] {
			known[this] = true
			found = append(found, point{kind.verb, kind.resource, counted[kind]})
		}
	}
	return found
}

// faulty are the schedules that have one fault more: the watch of each resource is late, and at each of the points each kind of fault that it may meet, the first
// of all points before the second of any.
func faulty(s schedule.Schedule, all []point) []schedule.Schedule {
	var variants []schedule.Schedule
	for _, resource := range schedule.LateResources() {
		variant := s
		variant.Late = schedule.Late{By: schedule.LateBy, Resources: []string{resource}}
		variants = append(variants, variant)
	}
	for round := 0; ; round++ {
		any := false
		for _, at := range all {
			kinds := schedule.FaultKinds(at.verb)
			if round >= len(kinds) {
				continue
			}
			any = true
			variant := s
			fault := schedule.Fault{Verb: at.verb, Resource: at.resource, Number: at.number, Kind: kinds[round]}
			variant.Faults = append(slices.Clone(s.Faults), fault)
			variants = append(variants, variant)
		}
		if !any {
			return variants
		}
	}
}

// playWithFaults plays the schedules once, then each again with one of the implementation's watches late, or one fault at each of its writes in it, until the time is over. It returns what was
// played, and adds the schedules that it made.
func (e *explorer) playWithFaults(ctx context.Context, schedules map[string]schedule.Schedule) ([]played, error) {
	all, err := e.play(ctx, schedules, e.lasting+setUp, e.progress())
	if err != nil || ctx.Err() != nil {
		return all, err
	}
	made := map[string]schedule.Schedule{}
	for _, one := range all {
		if one.history.Authors == "" {
			return all, fmt.Errorf("%s: it does not say who made the writes", one.path)
		}
		at := points(one.history)
		for _, variant := range faulty(schedules[one.name], at) {
			made[numbered(len(schedules)+len(made))] = variant
		}
		fmt.Fprintf(e.out, "rollcall: schedule %s has %d writes that differ\n", one.name, len(at))
	}
	if len(made) == 0 {
		return all, nil
	}
	fmt.Fprintf(e.out, "rollcall: %d schedules with a fault, for %s\n", len(made), e.lasting)
	again, err := e.play(ctx, made, e.lasting+setUp, e.progress())
	maps.Copy(schedules, made)
	return append(all, again...), err
}
