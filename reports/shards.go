package reports

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Shard is a part of a run's specs: the Index-th, counted from 1, of Count.
type Shard struct {
	Index int `yaml:"index"`
	Count int `yaml:"count"`
}

// String is how the command line has it, such as "2/4".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// MergeShards makes the report of a run from those of all its shards, in any order: it has the verdicts of one run of the same specs. Its duration is that of
// the longest shard. It fails, and names what is wrong, if a shard is missing or there twice, or if the reports are not of one run: of the same implementation,
// selection and seed, tested by the same rollcall on the same Kubernetes.
func MergeShards(shards []*ConformanceReport) (*ConformanceReport, error) {
	if len(shards) == 0 {
		return nil, errors.New("there is no report to merge")
	}
	if err := complete(shards); err != nil {
		return nil, err
	}
	shards = slices.Clone(shards)
	slices.SortFunc(shards, func(a, b *ConformanceReport) int { return a.Provenance.Shard.Index - b.Provenance.Shard.Index })
	first := shards[0]
	merged := &ConformanceReport{APIVersion: APIVersion, Kind: Kind, Implementation: first.Implementation, Provenance: first.Provenance}
	merged.Provenance.Shard = nil
	for _, shard := range shards {
		if err := sameRun(first, shard); err != nil {
			return nil, fmt.Errorf("shard %s is not of the same run as shard %s: %w", shard.Provenance.Shard, first.Provenance.Shard, err)
		}
		merged.Observations = append(merged.Observations, shard.Observations...)
		merged.Measurements = append(merged.Measurements, shard.Measurements...)
		merged.Circumstances = append(merged.Circumstances, shard.Circumstances...)
		for id, duration := range shard.Durations {
			if merged.Durations == nil {
				merged.Durations = map[ID]time.Duration{}
			}
			merged.Durations[id] += duration
		}
	}
	merged.Measurements = measurementsInOrder(merged.Measurements)
	merged.Circumstances = inOrder(merged.Circumstances)
	mergeProvenance(&merged.Provenance, shards)
	for place := range first.Requirements {
		var parts []RequirementResult
		for _, shard := range shards {
			parts = append(parts, shard.Requirements[place])
		}
		merged.Requirements = append(merged.Requirements, mergeResults(parts))
	}
	order := map[ID]int{}
	for place, result := range merged.Requirements {
		order[result.ID] = place
	}
	sortObservations(merged.Observations, order)
	merged.conclude()
	return merged, nil
}

// complete reports a shard that is missing, there twice, or none.
func complete(shards []*ConformanceReport) error {
	seen := map[int]bool{}
	count := 0
	for _, report := range shards {
		shard := report.Provenance.Shard
		switch {
		case shard == nil:
			return errors.New("one of the reports is not of a shard: shards are made by `rollcall run -shard=1/4`")
		case count != 0 && shard.Count != count:
			return fmt.Errorf("one shard is of %d, another of %d", count, shard.Count)
		case shard.Index < 1 || shard.Index > shard.Count:
			return fmt.Errorf("there is no shard %s", shard)
		case seen[shard.Index]:
			return fmt.Errorf("shard %s is there twice", shard)
		}
		count, seen[shard.Index] = shard.Count, true
	}
	var missing []string
	for index := 1; index <= count; index++ {
		if !seen[index] {
			missing = append(missing, Shard{Index: index, Count: count}.String())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing: shard %s", strings.Join(missing, ", "))
	}
	return nil
}

// sameRun says in what two shards differ that must not.
func sameRun(a, b *ConformanceReport) error {
	p, q := a.Provenance, b.Provenance
	for _, same := range []struct {
		what string
		a, b any
	}{
		{"implementation", a.Implementation, b.Implementation},
		{"rollcall", p.Rollcall, q.Rollcall},
		{"catalogue", p.Catalogue, q.Catalogue},
		{"Kubernetes version", p.KubernetesVersion, q.KubernetesVersion},
		{"provider", p.Provider, q.Provider},
		{"seed", p.Seed, q.Seed},
		{"selection", p.Focus, q.Focus},
		{"timeouts", p.RelaxedTimeouts, q.RelaxedTimeouts},
	} {
		if !reflect.DeepEqual(same.a, same.b) {
			return fmt.Errorf("%s: %v there, %v here", same.what, same.a, same.b)
		}
	}
	if len(a.Requirements) != len(b.Requirements) {
		return fmt.Errorf("%d requirements there, %d here", len(a.Requirements), len(b.Requirements))
	}
	for i, result := range a.Requirements {
		if b.Requirements[i].ID != result.ID {
			return fmt.Errorf("requirement %s there, %s here in its place", result.ID, b.Requirements[i].ID)
		}
	}
	return nil
}

func mergeProvenance(merged *Provenance, shards []*ConformanceReport) {
	var kinds, authors []string
	merged.EndedEarly, merged.ImplementationFailure, merged.HarnessFailure = "", "", ""
	for _, report := range shards {
		p := report.Provenance
		kinds, authors = append(kinds, p.NodeKinds...), append(authors, p.Authors)
		if p.Started.Before(merged.Started) {
			merged.Started = p.Started
		}
		merged.Duration = max(merged.Duration, p.Duration)
		merged.Interrupted = merged.Interrupted || p.Interrupted
		for _, failure := range []struct {
			of  string
			all *string
		}{{p.EndedEarly, &merged.EndedEarly}, {p.ImplementationFailure, &merged.ImplementationFailure}, {p.HarnessFailure, &merged.HarnessFailure}} {
			if failure.of != "" {
				*failure.all = strings.TrimPrefix(fmt.Sprintf("%s\nshard %s: %s", *failure.all, p.Shard, failure.of), "\n")
			}
		}
	}
	merged.NodeKinds = sorted(kinds)
	merged.Authors = strings.Join(sorted(slices.DeleteFunc(authors, func(a string) bool { return a == "" })), ", ")
}

// mergeResults is the outcome for one requirement of what each shard says of it, as if their specs had all been of one run.
func mergeResults(parts []RequirementResult) RequirementResult {
	merged := RequirementResult{Requirement: parts[0].Requirement, KnownDeviation: parts[0].KnownDeviation}
	var verdicts []Verdict
	for _, part := range parts {
		verdicts = append(verdicts, part.Verdict)
	}
	merged.Verdict = Merge(verdicts...)
	var reasons, causes []string
	for _, part := range parts {
		merged.Specs = append(merged.Specs, part.Specs...)
		merged.SpecsNotRun = append(merged.SpecsNotRun, part.SpecsNotRun...)
		merged.Nodes = append(merged.Nodes, part.Nodes...)
		merged.Violations = append(merged.Violations, part.Violations...)
		if part.Verdict == merged.Verdict && part.Reason != "" {
			reasons = append(reasons, part.Reason)
			causes = append(causes, part.Cause)
		}
	}
	if other := slices.DeleteFunc(slices.Clone(reasons), func(reason string) bool { return reason == InAnotherShard }); len(other) > 0 {
		reasons = other
	}
	merged.Reason = strings.Join(sorted(reasons), "; ")
	merged.Cause = common(causes)
	merged.Specs, merged.Nodes = sorted(merged.Specs), sorted(merged.Nodes)
	merged.SpecsNotRun = sortedNotRun(merged.SpecsNotRun, merged.Specs)
	slices.SortFunc(merged.Violations, byRecording)
	merged.Situations = mergeSituations(merged, parts)
	return merged
}
