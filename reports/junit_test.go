package reports_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

// parsedSuites is what a CI system reads, written down apart from the writer.
type parsedSuites struct {
	Tests  int `xml:"tests,attr"`
	Errors int `xml:"errors,attr"`
	Suites []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Class   string        `xml:"classname,attr"`
			Name    string        `xml:"name,attr"`
			Time    string        `xml:"time,attr"`
			Failure *parsedDetail `xml:"failure"`
			Error   *parsedDetail `xml:"error"`
			Skipped *parsedDetail `xml:"skipped"`
			Output  string        `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type parsedDetail struct {
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

func parseJUnit(t *testing.T, report *reports.ConformanceReport) (parsedSuites, string) {
	t.Helper()
	var out bytes.Buffer
	if err := reports.WriteJUnit(&out, report); err != nil {
		t.Fatalf("write JUnit: %v", err)
	}
	text := out.String()
	var parsed parsedSuites
	if err := xml.Unmarshal(out.Bytes(), &parsed); err != nil {
		t.Fatalf("the JUnit report is not XML: %v\n%s", err, text)
	}
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the JUnit report is not XML to its end: %v", err)
		}
	}
	return parsed, text
}

func TestJUnitHasASuitePerFamilyAndACasePerRequirement(t *testing.T) {
	t.Parallel()
	parsed, _ := parseJUnit(t, assemble(t, exampleRun()))
	if parsed.Tests != 9 || len(parsed.Suites) != 5 {
		t.Fatalf("%d tests in %d suites, want 9 in 5: a case per requirement and one for the run", parsed.Tests, len(parsed.Suites))
	}
	surge := parsed.Suites[0]
	if surge.Name != "SURGE" || surge.Tests != 3 || surge.Failures != 1 || surge.Errors != 1 || surge.Skipped != 0 {
		t.Errorf("first suite: %+v, want SURGE with 3 tests, 1 failure, 1 error, none skipped", surge)
	}
	passed, failed, unclear := surge.Cases[0], surge.Cases[1], surge.Cases[2]
	if passed.Class != "SURGE" || passed.Name != "SURGE-002 maxSurge bounds surging nodes" || passed.Time != "5.000" {
		t.Errorf("case %+v, want SURGE-002 with its title and 5 s", passed)
	}
	if passed.Failure != nil || passed.Error != nil || passed.Skipped != nil {
		t.Errorf("a pass carries a failure, an error or a skip: %+v", passed)
	}
	if failed.Failure == nil || failed.Failure.Message !=
		"node-1, resourceVersion 120: got 3 pods, and 1 more time on this node, and on 2 more nodes, and in 1 more recording" {
		t.Fatalf("the failure is %+v, want one whose message says where, when and what", failed.Failure)
	}
	for _, want := range []string{"pod agent-a failed", "recordings/surges-over-a-failed-pod.jsonl", "known deviation: https://example.org/issues/7"} {
		if !strings.Contains(failed.Failure.Body, want) {
			t.Errorf("the failure's text lacks %q:\n%s", want, failed.Failure.Body)
		}
	}
	if unclear.Error == nil || unclear.Error.Message != "the watch on pods lost events" {
		t.Errorf("inconclusive became %+v, want an error with the reason", unclear)
	}
	if passed.Output != "no more nodes than maxSurge run an extra pod" || unclear.Output != "a surge leaves bystanders alone" {
		t.Errorf("the outputs are %q and %q, want the statements", passed.Output, unclear.Output)
	}
	hostPort, metric := parsed.Suites[2].Cases[0], parsed.Suites[3].Cases[2]
	if hostPort.Skipped == nil || hostPort.Skipped.Message != "unsupported: HostPortRejection is not claimed" {
		t.Errorf("unsupported became %+v, want a skip that says so", hostPort)
	}
	if metric.Skipped == nil || metric.Skipped.Message != "not run: not selected by the focus" {
		t.Errorf("not run became %+v, want a skip that says so", metric)
	}
}

func TestJUnitShowsTheStoryWithoutWhatXMLCannotHold(t *testing.T) {
	t.Parallel()
	report := assemble(t, exampleRun())
	report.Requirements[1].Violations[0].Got = "\x1b[31mred\x1b[0m <story> & \x00\x07\u202end \xff ]]>\n  ████╳\n"
	report.Requirements[2].Reason = "bell \a and\nsecond line"
	parsed, text := parseJUnit(t, report)
	body := parsed.Suites[0].Cases[1].Failure.Body
	for _, want := range []string{"red <story> & ", "]]>", "████╳"} {
		if !strings.Contains(body, want) {
			t.Errorf("the story lacks %q:\n%s", want, body)
		}
	}
	for _, unwanted := range []string{"\x1b", "\x00", "\a", "&#x1B;", "[31m"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the XML holds %q", unwanted)
		}
	}
	if message := parsed.Suites[0].Cases[2].Error.Message; message != "bell  and" {
		t.Errorf("message %q, want the first line of the reason", message)
	}
}

func TestJUnitOfAFailedAssertionCarriesItsMessage(t *testing.T) {
	t.Parallel()
	run := exampleRun()
	run.Outcomes[2] = reports.Outcome{Requirement: "SURGE-009", Spec: "counts pods", Verdict: reports.Fail, Reason: "expected 2 pods\ngot 3"}
	parsed, _ := parseJUnit(t, assemble(t, run))
	failure := parsed.Suites[0].Cases[1].Failure
	if failure.Message != "expected 2 pods" || !strings.Contains(failure.Body, "got 3") {
		t.Errorf("got %+v, want the first line as the message and all of it as the text", failure)
	}
}

func TestJUnitNamesStayWhenAStatementIsReworded(t *testing.T) {
	t.Parallel()
	names := func(run reports.Run) []string {
		parsed, _ := parseJUnit(t, assemble(t, run))
		var all []string
		for _, suite := range parsed.Suites {
			for _, entry := range suite.Cases {
				all = append(all, entry.Class+" "+entry.Name)
			}
		}
		return all
	}
	reworded := exampleRun()
	for i := range reworded.Catalogue {
		reworded.Catalogue[i].Statement = "something else"
	}
	if before, after := names(exampleRun()), names(reworded); !slices.Equal(before, after) {
		t.Errorf("the names were %q and are %q", before, after)
	}
}

func TestARunThatWasCutShortIsNotGreenInJUnit(t *testing.T) {
	t.Parallel()
	skipped := func() reports.Run {
		return reports.Run{
			Catalogue: []reports.Requirement{{ID: "API-001", Level: reports.LevelCore}},
			Outcomes:  []reports.Outcome{{Requirement: "API-001", Spec: "a spec", Verdict: reports.NotRun, Reason: "not selected"}},
		}
	}
	passed := func() reports.Run {
		run := skipped()
		run.Outcomes[0].Verdict, run.Outcomes[0].Reason = reports.Pass, ""
		return run
	}
	failed, died, interrupted := passed(), passed(), passed()
	failed.Provenance.HarnessFailure = "kube-apiserver ended\nits log"
	died.Provenance.ImplementationFailure = "some-controller ended by itself\nits log"
	interrupted.Provenance.Interrupted = true
	cases := map[string]struct {
		run  reports.Run
		want string
	}{
		"complete":        {passed(), ""},
		"nothing decided": {skipped(), "no requirement was decided"},
		"failed":          {failed, "kube-apiserver ended"},
		"died":            {died, "some-controller ended by itself"},
		"interrupted":     {interrupted, "the run was interrupted"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed, _ := parseJUnit(t, assemble(t, test.run))
			last := parsed.Suites[len(parsed.Suites)-1]
			if last.Name != "rollcall" || len(last.Cases) != 1 || last.Cases[0].Name != "the run" {
				t.Fatalf("the last suite is %+v, want the run's", last)
			}
			got := ""
			if last.Cases[0].Error != nil {
				got = last.Cases[0].Error.Message
			}
			if got != test.want || (last.Errors == 1) != (test.want != "") || parsed.Errors != last.Errors {
				t.Errorf("the run's error is %q (%d errors, %d in all), want %q", got, last.Errors, parsed.Errors, test.want)
			}
		})
	}
}
