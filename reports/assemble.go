package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Outcome is what one spec or judge says about one requirement.
type Outcome struct {
	Requirement ID
	// Spec that says so; empty for what no spec decides (the reason then says why).
	Spec    string
	Verdict Verdict
	// Nodes is the kind of nodes that the spec ran on, one of the provenance's NodeKinds; empty if it took none.
	Nodes string
	// Reason for every verdict but pass; for a failed assertion, its message.
	Reason string
	// Cause is the reason without what differs between specs, where several may be undecided for the same one; empty otherwise.
	Cause string
	// Duration of the spec.
	Duration   time.Duration
	Violations []Violation
}

// Run is all that a report is made of.
type Run struct {
	Implementation Implementation
	Provenance     Provenance
	// Catalogue in the order in which the report shows it.
	Catalogue []Requirement
	// Outcomes, Observations, Measurements and Circumstances in any order; the measurements of one spec stay in theirs.
	Outcomes      []Outcome
	Observations  []Observation
	Measurements  []Measurement
	Circumstances []Circumstances
	// Situations that the standing rule of a requirement names, in its order, and those that specs have seen, in any order.
	Situations map[ID][]string
	Sightings  []Sighting
}

// noOutcome is the reason for a requirement that nothing was said about.
const noOutcome = "no spec decides it yet"

// Assemble makes the report of a run. The order of outcomes and observations does not matter. It fails for what would make the
// report untrue: a requirement twice in the catalogue or with an unknown level, an outcome for a requirement that is not in it, an
// unknown verdict, violations with a verdict other than fail, a known deviation from a requirement that does not exist.
func Assemble(run Run) (*ConformanceReport, error) {
	places, err := placesIn(run.Catalogue)
	if err != nil {
		return nil, err
	}
	report := &ConformanceReport{
		APIVersion: APIVersion, Kind: Kind,
		Implementation: tidyImplementation(run.Implementation),
		Provenance:     tidyProvenance(run.Provenance, len(run.Catalogue)),
		Durations:      durationsOf(run.Outcomes),
	}
	outcomes := make([][]Outcome, len(run.Catalogue))
	for _, outcome := range run.Outcomes {
		if err := check(outcome, places); err != nil {
			return nil, err
		}
		place := places[outcome.Requirement]
		outcomes[place] = append(outcomes[place], outcome)
	}
	for place, requirement := range run.Catalogue {
		result := resultOf(requirement, outcomes[place])
		result.Situations = situationsOf(result, run.Situations[requirement.ID], run.Sightings)
		report.Requirements = append(report.Requirements, result)
	}
	for _, deviation := range report.Implementation.KnownDeviations {
		place, known := places[deviation.Requirement]
		if !known {
			return nil, fmt.Errorf("known deviation from %q, which is not in the catalogue", deviation.Requirement)
		}
		report.Requirements[place].KnownDeviation = deviation.Issue
	}
	report.Observations = slices.Clone(run.Observations)
	sortObservations(report.Observations, places)
	report.Measurements = measurementsInOrder(run.Measurements)
	report.Circumstances = inOrder(run.Circumstances)
	report.conclude()
	return report, nil
}

// conclude counts the requirements and answers from them.
func (r *ConformanceReport) conclude() {
	r.Statistics = count(r.Requirements)
	r.Levels = levelsOf(r.Requirements)
	r.Features = featuresOf(r.Requirements, r.Implementation.Features)
	r.Profiles = profilesOf(r.Requirements)
	r.Conformance = Judge(r)
}

// sortObservations sorts by requirement, by its place in the catalogue.
func sortObservations(observations []Observation, places map[ID]int) {
	slices.SortFunc(observations, func(a, b Observation) int {
		return cmp.Or(cmp.Compare(places[a.Requirement], places[b.Requirement]), cmp.Compare(a.Requirement, b.Requirement),
			strings.Compare(a.Spec, b.Spec), strings.Compare(a.Text, b.Text))
	})
}

func placesIn(catalogue []Requirement) (map[ID]int, error) {
	places := make(map[ID]int, len(catalogue))
	for place, requirement := range catalogue {
		if _, twice := places[requirement.ID]; twice {
			return nil, fmt.Errorf("requirement %s is in the catalogue twice", requirement.ID)
		}
		if !slices.Contains(AllLevels(), requirement.Level) {
			return nil, fmt.Errorf("requirement %s has the unknown level %q: want one of %v", requirement.ID, requirement.Level, AllLevels())
		}
		places[requirement.ID] = place
	}
	return places, nil
}

func check(outcome Outcome, places map[ID]int) error {
	if _, known := places[outcome.Requirement]; !known {
		return fmt.Errorf("spec %q decides %q, which is not in the catalogue", outcome.Spec, outcome.Requirement)
	}
	if !outcome.Verdict.Valid() {
		return fmt.Errorf("spec %q gives %s the unknown verdict %q", outcome.Spec, outcome.Requirement, outcome.Verdict)
	}
	if len(outcome.Violations) > 0 && outcome.Verdict != Fail {
		return fmt.Errorf("spec %q gives %s the verdict %s in spite of %d violations", outcome.Spec, outcome.Requirement, outcome.Verdict, len(outcome.Violations))
	}
	return nil
}

func resultOf(requirement Requirement, outcomes []Outcome) RequirementResult {
	result := RequirementResult{Requirement: requirement}
	verdicts := make([]Verdict, 0, len(outcomes))
	for _, outcome := range outcomes {
		verdicts = append(verdicts, outcome.Verdict)
	}
	result.Verdict = Merge(verdicts...)
	var reasons, causes []string
	for _, outcome := range outcomes {
		if outcome.Verdict == result.Verdict && outcome.Verdict != Pass && outcome.Reason != "" {
			reasons = append(reasons, outcome.Reason)
			causes = append(causes, outcome.Cause)
		}
		switch {
		case outcome.Spec == "":
		case outcome.Verdict == NotRun:
			result.SpecsNotRun = append(result.SpecsNotRun, SpecNotRun{outcome.Spec, outcome.Reason})
		default:
			result.Specs = append(result.Specs, outcome.Spec)
			if outcome.Nodes != "" {
				result.Nodes = append(result.Nodes, outcome.Nodes)
			}
		}
		for _, violation := range outcome.Violations {
			violation.Time = violation.Time.Round(0).UTC()
			result.Violations = append(result.Violations, violation)
		}
	}
	if len(outcomes) == 0 {
		reasons = []string{noOutcome}
	}
	result.Reason = strings.Join(sorted(reasons), "; ")
	result.Cause = common(causes)
	result.Specs = sorted(result.Specs)
	result.Nodes = slices.Compact(sorted(result.Nodes))
	result.SpecsNotRun = sortedNotRun(result.SpecsNotRun, nil)
	slices.SortFunc(result.Violations, byRecording)
	return result
}

// common is the cause that all the others say, too: one that ended the run is in the reason of what did not run. It is empty if there is none.
func common(causes []string) string {
	for _, candidate := range causes {
		if !slices.ContainsFunc(causes, func(other string) bool { return !strings.Contains(other, candidate) }) {
			return candidate
		}
	}
	return ""
}

// durationsOf sums up per requirement; nil if nothing took time.
func durationsOf(outcomes []Outcome) map[ID]time.Duration {
	var durations map[ID]time.Duration
	for _, outcome := range outcomes {
		if outcome.Duration <= 0 {
			continue
		}
		if durations == nil {
			durations = map[ID]time.Duration{}
		}
		durations[outcome.Requirement] += outcome.Duration
	}
	return durations
}

func tidyImplementation(implementation Implementation) Implementation {
	implementation.Features = sorted(implementation.Features)
	implementation.KnownDeviations = slices.Clone(implementation.KnownDeviations)
	slices.SortFunc(implementation.KnownDeviations, func(a, b KnownDeviation) int { return cmp.Compare(a.Requirement, b.Requirement) })
	return implementation
}

func tidyProvenance(provenance Provenance, size int) Provenance {
	provenance.Catalogue.Size = size
	provenance.NodeKinds = sorted(provenance.NodeKinds)
	// A monotonic reading or a local zone would not survive the file.
	provenance.Started = provenance.Started.Round(0).UTC()
	provenance.RelaxedTimeouts = slices.Clone(provenance.RelaxedTimeouts)
	slices.SortFunc(provenance.RelaxedTimeouts, func(a, b RelaxedTimeout) int { return strings.Compare(a.Name, b.Name) })
	return provenance
}

// sorted returns the distinct strings in order, in a slice of its own; nil for none, as a file without them is read back.
func sorted[S ~string](all []S) []S {
	if len(all) == 0 {
		return nil
	}
	all = slices.Clone(all)
	slices.Sort(all)
	return slices.Compact(all)
}
