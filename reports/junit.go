package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// The elements of JUnit XML that CI systems read. Ginkgo has structs for them too, but its package brings a Go parser along.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Time   string       `xml:"time,attr"`
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    string       `xml:"time,attr"`
		Skipped *junitDetail `xml:"skipped"`
		Error   *junitDetail `xml:"error"`
		Failure *junitDetail `xml:"failure"`
		// Output is the requirement's statement, which the name leaves out.
		Output string `xml:"system-out,omitempty"`
	}
	junitDetail struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Body    string `xml:",cdata"`
	}
)

// WriteJUnit writes the report for CI systems: one testsuite per family, one testcase per requirement, named so that it keeps its history when a
// statement is reworded; the statement is its output. A failure carries the story of its violations; inconclusive is an error; what is unsupported, was not to be run, or is broken
// by Kubernetes itself, is skipped, with the reason. A last testcase stands for the run itself and is an error if that was cut short or decided nothing: without it such a
// run would have no failure and no error.
func WriteJUnit(out io.Writer, report *ConformanceReport) error {
	suites := junitSuites{Name: "rollcall: " + paragraph.Printable(report.Implementation.Name), Time: seconds(report.Provenance.Duration)}
	places := map[string]int{}
	times := map[string]time.Duration{}
	for _, result := range report.Requirements {
		name := result.ID.Family()
		place, known := places[name]
		if !known {
			place = len(suites.Suites)
			places[name] = place
			suites.Suites = append(suites.Suites, suiteOf(report, name))
		}
		entry := caseOf(result, report.Durations[result.ID])
		times[name] += report.Durations[result.ID]
		suites.Suites[place].Time = seconds(times[name])
		suites.Suites[place].add(entry)
		suites.count(entry)
	}
	whole := runCase(report)
	suites.Suites = append(suites.Suites, suiteOf(report, whole.Class))
	suites.Suites[len(suites.Suites)-1].add(whole)
	suites.count(whole)
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suites); err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	if _, err := io.WriteString(out, "\n"); err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	return nil
}

func suiteOf(report *ConformanceReport, name string) junitSuite {
	return junitSuite{
		Name: name, Time: seconds(0), Timestamp: report.Provenance.Started.UTC().Format("2006-01-02T15:04:05"), Properties: propertiesOf(report),
	}
}

func (s *junitSuite) add(entry junitCase) {
	s.Cases = append(s.Cases, entry)
	s.count(entry)
}

func (c *junitCounts) count(entry junitCase) {
	c.Tests++
	switch {
	case entry.Failure != nil:
		c.Failures++
	case entry.Error != nil:
		c.Errors++
	case entry.Skipped != nil:
		c.Skipped++
	}
}

// runCase is the testcase of the run itself.
func runCase(report *ConformanceReport) junitCase {
	entry := junitCase{Class: "rollcall", Name: "the run", Time: seconds(report.Provenance.Duration)}
	failure, its := paragraph.Printable(report.Provenance.HarnessFailure), paragraph.Printable(report.Provenance.ImplementationFailure)
	switch {
	case its != "":
		entry.Error = &junitDetail{Type: "implementation failed", Message: firstLine(its), Body: strings.TrimSpace(its + "\n" + failure)}
	case failure != "":
		entry.Error = &junitDetail{Type: "run failed", Message: firstLine(failure), Body: failure}
	case report.Provenance.EndedEarly != "":
		early := paragraph.Printable(report.Provenance.EndedEarly)
		entry.Error = &junitDetail{Type: "ended early", Message: "the run ended early: " + firstLine(early), Body: early}
	case report.Provenance.Interrupted:
		entry.Error = &junitDetail{Type: "interrupted", Message: "the run was interrupted"}
	case count(report.Requirements).Decided() == 0:
		entry.Error = &junitDetail{Type: "nothing decided", Message: "no requirement was decided"}
	}
	return entry
}

func propertiesOf(report *ConformanceReport) []junitProperty {
	provenance := report.Provenance
	properties := []junitProperty{
		{"implementation", paragraph.Printable(report.Implementation.Name)},
		{"implementationVersion", paragraph.Printable(report.Implementation.Version)},
		{"kubernetesVersion", paragraph.Printable(provenance.KubernetesVersion)},
		{"provider", paragraph.Printable(provenance.Provider)},
		{"rollcall", paragraph.Printable(provenance.Rollcall.Version)},
		{"catalogue", paragraph.Printable(provenance.Catalogue.Digest)},
		{"seed", strconv.FormatInt(provenance.Seed, 10)},
		{"conformance", string(report.Conformance)},
	}
	if workload := report.Implementation.Workload; workload != "" {
		properties = append(properties, junitProperty{"workload", paragraph.Printable(workload)})
	}
	return properties
}

func caseOf(result RequirementResult, duration time.Duration) junitCase {
	entry := junitCase{Class: result.ID.Family(), Name: paragraph.Printable(result.Name()), Time: seconds(duration), Output: paragraph.Printable(result.Statement)}
	reason := paragraph.Printable(result.Reason)
	switch {
	case result.Verdict == Fail && result.BrokenBy() != "":
		entry.Skipped = &junitDetail{Message: "broken by " + result.BrokenBy() + ": " + paragraph.Printable(firstLine(FailureLine(result)))}
	case result.Verdict == Fail:
		entry.Failure = &junitDetail{Type: "violation", Message: paragraph.Printable(firstLine(FailureLine(result))), Body: FailureText(result, "")}
		if len(result.Violations) == 0 {
			entry.Failure.Type = "assertion"
		}
	case result.Verdict == Inconclusive:
		entry.Error = &junitDetail{Type: string(Inconclusive), Message: firstLine(reason), Body: reason}
	case result.Verdict == Unsupported, result.Verdict == NotRun:
		entry.Skipped = &junitDetail{Message: string(result.Verdict) + ": " + firstLine(reason)}
	}
	return entry
}

// FailureText is why a requirement failed, as text: the reason, and the story of each violation. The folder is that of the report, as the reader names it;
// empty for that which the reader is in.
func FailureText(result RequirementResult, folder string) string {
	var parts []string
	if result.Reason != "" {
		parts = append(parts, result.Reason)
	}
	for _, violation := range result.Violations {
		parts = append(parts, Story(result.Requirement, violation, StoryOptions{Unicode: true, Folder: folder}))
	}
	if result.KnownDeviation != "" {
		parts = append(parts, "known deviation: "+result.KnownDeviation)
	}
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], "\n")
	}
	return paragraph.Printable(strings.Join(parts, "\n\n") + "\n")
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
