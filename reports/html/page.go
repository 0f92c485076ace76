package html

import (
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
)

// page is a report as its template reads it.
type page struct {
	*reports.ConformanceReport
	Assets
	Answer        reports.Conformance
	Headline, Why string
	Verdicts      []tally
	Families      []family
	// Failed are the requirements that failed; Undecided those that could not be decided, by their reason.
	Failed    []row
	Undecided [][]reports.RequirementResult
	// FeatureNames that requirements have, sorted.
	FeatureNames []reports.Feature
	LevelNames   []reports.Level
}

// tally is a verdict and how many requirements have it.
type tally struct {
	Verdict reports.Verdict
	Count   int
}

// family is a strip of requirements.
type family struct {
	Name       string
	Statistics reports.Statistics
	Rows       []row
}

// row is a requirement with what is elsewhere in the report.
type row struct {
	reports.RequirementResult
	// Duration of its specs; 0 if none took time.
	Duration time.Duration
	// Circumstances of its specs, as places among the report's, counted from 1.
	Circumstances []int
}

// recordingPage is a recording as its template reads it.
type recordingPage struct {
	*reports.Recording
	Assets
}

func pageOf(report *reports.ConformanceReport) page {
	p := page{
		ConformanceReport: report, Assets: load(), Answer: reports.Judge(report), Headline: reports.Headline(report), Why: reports.Why(report),
		LevelNames: reports.AllLevels(),
	}
	counts := report.Statistics
	p.Verdicts = []tally{
		{reports.Pass, counts.Passed}, {reports.Fail, counts.Failed}, {reports.Inconclusive, counts.Inconclusive},
		{reports.Unsupported, counts.Unsupported}, {reports.NotRun, counts.NotRun},
	}
	told := circumstancesBySpec(report.Circumstances)
	var undecided []reports.RequirementResult
	of := map[string][]row{}
	for _, result := range report.Requirements {
		r := row{RequirementResult: result, Duration: report.Durations[result.ID]}
		switch result.Verdict {
		case reports.Fail, reports.Inconclusive:
			for _, spec := range result.Specs {
				r.Circumstances = append(r.Circumstances, told[spec]...)
			}
		}
		if result.Verdict == reports.Fail {
			p.Failed = append(p.Failed, r)
		}
		if result.Verdict == reports.Inconclusive {
			undecided = append(undecided, result)
		}
		if result.Feature != "" && !slices.Contains(p.FeatureNames, result.Feature) {
			p.FeatureNames = append(p.FeatureNames, result.Feature)
		}
		of[result.ID.Family()] = append(of[result.ID.Family()], r)
	}
	slices.Sort(p.FeatureNames)
	p.Undecided = reports.ByReason(undecided)
	for _, profile := range report.Profiles {
		p.Families = append(p.Families, family{Name: profile.Name, Statistics: profile.Statistics, Rows: of[profile.Name]})
	}
	return p
}

func circumstancesBySpec(all []reports.Circumstances) map[string][]int {
	places := map[string][]int{}
	for i, c := range all {
		places[c.Spec] = append(places[c.Spec], i+1)
	}
	return places
}
