package reports_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
)

// shardsOf splits a run by its specs, as `rollcall run -shard` does.
func shardsOf(t *testing.T, run reports.Run, count int) []*reports.ConformanceReport {
	t.Helper()
	var specs []string
	for _, outcome := range run.Outcomes {
		if !slices.Contains(specs, outcome.Spec) {
			specs = append(specs, outcome.Spec)
		}
	}
	var all []*reports.ConformanceReport
	for index := 1; index <= count; index++ {
		mine := func(spec string) bool { return slices.Index(specs, spec)%count == index-1 }
		part := run
		part.Provenance.Shard = &reports.Shard{Index: index, Count: count}
		part.Outcomes, part.Observations, part.Circumstances, part.Sightings = nil, nil, nil, nil
		for _, outcome := range run.Outcomes {
			if !mine(outcome.Spec) {
				outcome = reports.Outcome{Requirement: outcome.Requirement, Spec: outcome.Spec, Verdict: reports.NotRun, Reason: reports.InAnotherShard}
			}
			part.Outcomes = append(part.Outcomes, outcome)
		}
		for i, observation := range run.Observations {
			if i%count == index-1 {
				part.Observations = append(part.Observations, observation)
			}
		}
		for i, circumstances := range run.Circumstances {
			if i%count == index-1 {
				part.Circumstances = append(part.Circumstances, circumstances)
			}
		}
		for i, sighting := range run.Sightings {
			if i%count == index-1 {
				part.Sightings = append(part.Sightings, sighting)
			}
		}
		all = append(all, assemble(t, part))
	}
	return all
}

func text(t *testing.T, report *reports.ConformanceReport) string {
	t.Helper()
	var out bytes.Buffer
	if err := reports.WriteYAML(&out, report); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheShardsOfARunMakeTheReportOfTheRun(t *testing.T) {
	t.Parallel()
	want := text(t, assemble(t, exampleRun()))
	for _, count := range []int{1, 2, 3, 7} {
		shards := shardsOf(t, exampleRun(), count)
		for _, shard := range shards {
			if shard.Conformance == reports.Conformant {
				t.Errorf("shard %s alone is conformant", shard.Provenance.Shard)
			}
		}
		slices.Reverse(shards)
		merged, err := reports.MergeShards(shards)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, merged); got != want {
			t.Errorf("%d shards make another report than their run:\n%s\nwant\n%s", count, got, want)
		}
	}
}

func TestWhatWentWrongInAShardWentWrongInTheRun(t *testing.T) {
	t.Parallel()
	shards := shardsOf(t, exampleRun(), 2)
	shards[0].Provenance.HarnessFailure = "etcd ended"
	shards[1].Provenance.Interrupted = true
	shards[1].Provenance.Duration = time.Hour
	shards[1].Provenance.Started = shards[0].Provenance.Started.Add(-time.Minute)
	merged, err := reports.MergeShards(shards)
	if err != nil {
		t.Fatal(err)
	}
	p := merged.Provenance
	if p.HarnessFailure != "shard 1/2: etcd ended" || !p.Interrupted || p.Duration != time.Hour || !p.Started.Equal(shards[1].Provenance.Started) {
		t.Errorf("got %+v", p)
	}
}

func TestWhatIsNotOneRunIsNotMerged(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(shards []*reports.ConformanceReport) []*reports.ConformanceReport
		want   string
	}{
		"nothing":   {func([]*reports.ConformanceReport) []*reports.ConformanceReport { return nil }, "no report"},
		"too few":   {func(all []*reports.ConformanceReport) []*reports.ConformanceReport { return all[:1] }, "missing: shard 2/3, 3/3"},
		"one twice": {func(all []*reports.ConformanceReport) []*reports.ConformanceReport { return append(all, all[1]) }, "shard 2/3 is there twice"},
		"a whole run": {func(all []*reports.ConformanceReport) []*reports.ConformanceReport {
			all[0].Provenance.Shard = nil
			return all
		}, "not of a shard"},
		"of different counts": {func(all []*reports.ConformanceReport) []*reports.ConformanceReport {
			all[2].Provenance.Shard.Count = 4
			return all
		}, "one shard is of 3, another of 4"},
		"another seed": {func(all []*reports.ConformanceReport) []*reports.ConformanceReport {
			all[2].Provenance.Seed++
			return all
		}, "shard 3/3 is not of the same run as shard 1/3: seed"},
		"another implementation": {func(all []*reports.ConformanceReport) []*reports.ConformanceReport {
			all[1].Implementation.Name = "other"
			return all
		}, "shard 2/3 is not of the same run as shard 1/3: implementation"},
		"another rollcall": {func(all []*reports.ConformanceReport) []*reports.ConformanceReport {
			all[1].Provenance.Rollcall.Commit = "other"
			return all
		}, "rollcall"},
		"another selection": {func(all []*reports.ConformanceReport) []*reports.ConformanceReport {
			all[1].Provenance.Focus = "SURGE"
			return all
		}, "selection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := reports.MergeShards(row.change(shardsOf(t, exampleRun(), 3))); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q in it", err, row.want)
			}
		})
	}
}
