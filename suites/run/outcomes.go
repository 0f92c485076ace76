package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

type specReport = types.SpecReport

// readSpecReports reads what Ginkgo says about every spec.
func readSpecReports(path string) ([]specReport, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the specs left no report: %w", err)
	}
	var suites []types.Report
	if err := json.Unmarshal(text, &suites); err != nil {
		return nil, fmt.Errorf("read the specs' report: %w", err)
	}
	var all []specReport
	for _, suite := range suites {
		for _, report := range suite.SpecReports {
			if report.LeafNodeType == types.NodeTypeIt {
				all = append(all, report)
			}
		}
	}
	return all, nil
}

// verdictOf says what becomes of a requirement whose spec did not run, and why.
type verdictOf func(report specReport, id requirements.ID) (verdict reports.Verdict, reason string)

// collect gathers each spec's outcomes, observations and circumstances. A spec without any decided nothing: it did not run, or it broke off.
func collect(specs []specReport, unrun verdictOf) reports.Run {
	run := reports.Run{Situations: spec.Situations()}
	for _, report := range specs {
		attached, found := outcomesOf(report)
		if found && report.State != types.SpecStateInterrupted {
			run.Outcomes = append(run.Outcomes, attached.Outcomes...)
			for _, text := range attached.Observations {
				run.Observations = append(run.Observations, reports.Observation{Spec: report.FullText(), Text: text})
			}
			run.Measurements = append(run.Measurements, attached.Measurements...)
			run.Sightings = append(run.Sightings, attached.Sightings...)
			if attached.Circumstances != nil {
				run.Circumstances = append(run.Circumstances, *attached.Circumstances)
			}
			continue
		}
		brokeOff := !found && report.State.Is(types.SpecStateFailureStates) && report.State != types.SpecStateInterrupted
		for _, label := range report.Labels() {
			id := requirements.ID(label)
			if id.Family() == "" {
				continue // one of Ginkgo's own, such as Serial
			}
			outcome := reports.Outcome{Requirement: id, Spec: report.FullText(), Verdict: reports.Inconclusive, Reason: report.Failure.Message}
			if !brokeOff {
				outcome.Verdict, outcome.Reason = unrun(report, id)
				if strings.HasPrefix(outcome.Reason, spec.EndedEarly) {
					outcome.Cause = outcome.Reason
				}
			}
			run.Outcomes = append(run.Outcomes, outcome)
		}
	}
	return run
}

// notPutBack is what specs could not put back, so that what others decided after them is in doubt; empty if there is nothing.
func notPutBack(specs []specReport) string {
	var failures []string
	for _, report := range specs {
		for _, entry := range report.ReportEntries {
			if entry.Name == spec.UndoneEntry {
				failures = append(failures, fmt.Sprintf("%s: could not put back: %s", report.FullText(), entry.StringRepresentation()))
			}
		}
	}
	return strings.Join(failures, "\n")
}

func outcomesOf(report specReport) (spec.Outcomes, bool) {
	var attached spec.Outcomes
	for _, entry := range report.ReportEntries {
		if entry.Name == spec.OutcomeEntry {
			return attached, json.Unmarshal([]byte(entry.Value.AsJSON), &attached) == nil
		}
	}
	return attached, false
}

func (r *suiteRun) describeImplementation() reports.Implementation {
	i := r.implementation
	described := reports.Implementation{
		Name: i.Name, Organization: i.Organization, Project: i.Project, URL: i.URL,
		Version: i.VersionOn(r.kubernetesVersion), Contact: i.Contact, Workload: i.Workload.String(), Features: i.Features,
	}
	for _, deviation := range i.KnownDeviations {
		described.KnownDeviations = append(described.KnownDeviations, reports.KnownDeviation{
			Requirement: deviation.Requirement, Issue: deviation.Issue,
		})
	}
	return described
}

func (r *suiteRun) provenance(interrupted bool) reports.Provenance {
	p := reports.Provenance{
		Rollcall:          build(),
		Catalogue:         reports.Catalogue{Digest: r.catalogue.Digest()},
		KubernetesVersion: r.kubernetesVersion,
		Seed:              r.options.seed,
		Started:           r.began.UTC().Truncate(time.Second),
		Duration:          time.Since(r.began).Round(time.Millisecond),
		Parallelism:       r.options.procs,
		Focus:             r.selection.reason,
		Shard:             r.options.shard,
		Interrupted:       interrupted,
		HarnessFailure:    r.harnessFailure,

		ImplementationFailure: r.implementationFailure,
		EndedEarly:            cmp.Or(r.endedEarly, r.stopped),
	}
	if r.place != nil {
		p.On = r.place.on
		p.Provider, p.NodeKinds, p.Authors = r.place.Provider(), r.place.nodeKinds(), string(r.place.authors())
	}
	if r.options.patience != scenario.DefaultPatience {
		p.RelaxedTimeouts = []reports.RelaxedTimeout{{Name: "patience", Default: scenario.DefaultPatience, Used: r.options.patience}}
	}
	return p
}

// build identifies this program as the Go toolchain recorded it.
func build() reports.Rollcall {
	b := reports.Rollcall{Version: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Commit = setting.Value
		}
	}
	return b
}
