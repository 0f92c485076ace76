package html_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/html"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

func TestAPageSaysWhatTheReportSays(t *testing.T) {
	t.Parallel()
	page := pageOf(t, run())
	for _, want := range []string{
		"some-controller is not conformant", "2 requirements failed", "SURGE-002", "stays below maxSurge", "At most maxSurge nodes have two pods.",
		"three surge pods, want at most two", "rollcall judge recordings/surge-002-1.jsonl", `href="recordings/surge-002-1.jsonl"`, `href="#SURGE-003"`,
		`<a href="https://example.org/kep-1591"`, "S0 L49-51", "DaemonSet maxSurge, KEP-1591", "an assumption was not met", "it was slow", "panic: no", "I0001 syncing",
		"2000 requests in 10.0 s", "3 failed", "connection refused", `style="left:40%;width:2.4%"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestAPageNeedsNothingButItself(t *testing.T) {
	t.Parallel()
	page := pageOf(t, run())
	for _, fetched := range []string{`<script[^>]* src=`, `<img`, `<link[^>]* href="[^d]`, `@import`, `url\((?:[^#])`, `<iframe`, `fetch\(`, `XMLHttpRequest`} {
		if found := regexp.MustCompile(fetched).FindString(page); found != "" {
			t.Errorf("the page fetches something: %q", found)
		}
	}
}

func TestAPageOfAWholeCatalogueIsSmall(t *testing.T) {
	t.Parallel()
	big := run()
	for family := range 20 {
		for number := range 20 {
			id := reports.ID(strings.Repeat(string(rune('A'+family)), 5) + "-0" + string(rune('0'+number/10)) + string(rune('0'+number%10)))
			big.Catalogue = append(big.Catalogue, reports.Requirement{ID: id, Level: reports.LevelCore, Statement: strings.Repeat("It does this. ", 15), Decision: strings.Repeat("Read so. ", 15)})
			violation := big.Outcomes[1].Violations[0]
			violation.Requirement, violation.AlsoBreaks = id, nil
			big.Outcomes = append(big.Outcomes, reports.Outcome{Requirement: id, Spec: "some spec", Verdict: reports.Fail, Violations: []reports.Violation{violation}})
		}
	}
	const most = 3 << 20
	if size := len(pageOf(t, big)); size > most {
		t.Errorf("the page has %d bytes, want at most %d", size, most)
	}
}

// hostile are texts that somebody's controller, cluster or recording could choose.
var hostile = []string{
	`<img src=x onerror="window.pwned=1">`, `</script><script>window.pwned=1</script>`, `"><svg onload=window.pwned=1>`, `' onmouseover='window.pwned=1`,
	"]]>\u202e\x1b[31m\x00<!--", `javascript:window.pwned=1`, `${window.pwned=1}`, `{{.Style}}`,
}

// taint puts the text everywhere that is not rollcall's own to write.
func taint(run reports.Run, text string) reports.Run {
	run.Implementation = reports.Implementation{Name: text, Version: text, URL: text, Organization: text, Project: text, Workload: text, Contact: []string{text},
		Features: []reports.Feature{reports.Feature(text)}, KnownDeviations: []reports.KnownDeviation{{Requirement: "SURGE-002", Issue: text}}}
	p := &run.Provenance
	p.KubernetesVersion, p.Provider, p.Focus, p.EndedEarly, p.ImplementationFailure, p.HarnessFailure = text, text, text, text, text, text
	p.Rollcall = reports.Rollcall{Version: text, Commit: text}
	for i := range run.Catalogue {
		r := &run.Catalogue[i]
		r.Title, r.Statement, r.Decision, r.LevelReason, r.Feature, r.Kubernetes.Note = text, text, text, text, reports.Feature(text), text
	}
	for i := range run.Outcomes {
		run.Outcomes[i].Spec, run.Outcomes[i].Reason = text, text
	}
	drawn := lives()
	drawn.Nodes[0].Name, drawn.Nodes[0].Lanes[0].Pod, drawn.Nodes[0].Lanes[0].Revision, drawn.Marks[0].Text, drawn.Marks[1].Text = text, text, text, text, text
	budget := guard()
	budget.Name, budget.Limit, budget.Instants[1].Pod = text, text, text
	run.Outcomes[1].Violations = []reports.Violation{{
		Requirement: "SURGE-002", Promise: text, Spec: text, Node: text, Got: text, Before: text, After: text, Limits: text, State: []string{text}, Notes: []string{text},
		Recording: text, Picture: drawn, Budgets: []picture.Budget{budget}, Log: []reports.LogLine{{Text: text}}, Window: []reports.WindowEvent{{Event: text, Node: text, Broke: true}}, More: []reports.Further{{Node: text, Promise: text, Got: text}},
	}}
	run.Outcomes[2].Violations = nil
	run.Observations = []reports.Observation{{Spec: text, Text: text}}
	run.Circumstances = []reports.Circumstances{{Spec: text, Recording: text, Standstills: []string{text}, Refused: []reports.Refused{{What: text, Answer: text}}, Ended: text, Log: []string{text}}}
	m := &run.Measurements[0]
	m.Spec, m.Recording, m.Node, m.Target, m.During, m.Answers[0].Pod, m.FirstFailures[0].Error = text, text, text, text, text, text, text
	return run
}

func TestHostileTextsStayTexts(t *testing.T) {
	t.Parallel()
	clean := pageOf(t, run())
	for _, text := range hostile {
		page := pageOf(t, taint(run(), text))
		for _, markup := range []string{"<script", "</script", "<img", "<svg", "onerror=\"", "<!--", "href=\"javascript:", "\u202e", "\x1b"} {
			if got, want := strings.Count(page, markup), strings.Count(clean, markup); got > want {
				t.Errorf("%q puts %q into the page %d times more", text, markup, got-want)
			}
		}
	}
}

func TestARecordingsNameIsNoAddressOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"javascript:alert(1)": `href="./javascript:alert%281%29"`, "//example.org/x": `href="/example.org/x"`, "recordings/a b#?.jsonl": `href="recordings/a%20b%23%3F.jsonl"`,
	} {
		tainted := run()
		tainted.Outcomes[1].Violations[0].Recording = name
		if page := pageOf(t, tainted); !strings.Contains(page, want) {
			t.Errorf("recording %q is not linked as %s: %s", name, want, regexp.MustCompile(`Recording: <a [^>]*>`).FindString(page))
		}
	}
}

func TestARecordingIsAPage(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	err := html.WriteRecording(&page, &reports.Recording{
		Name: "recordings/x.jsonl", Scenario: "surges by number", Started: time.Unix(1795330000, 0), Picture: lives(), Budgets: []picture.Budget{guard()}, Part: "node node-1",
		Events: []reports.WindowEvent{{ResourceVersion: 7, Event: "pod agent-a was <created>"}}, Measurements: run().Measurements,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"surges by number", "node node-1", "pod agent-a was &lt;created&gt;", `"Pod":"agent-b"`, "eviction of agent-a accepted", "2000 requests"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	page.Reset()
	if err := html.WriteRecording(&page, &reports.Recording{Picture: (*picture.Picture)(nil)}); err != nil {
		t.Errorf("a recording of nothing: %v", err)
	}
}
