package reports_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/schematest"
)

func TestTheSchemaAcceptsReports(t *testing.T) {
	t.Parallel()
	shard := exampleRun()
	shard.Provenance.Shard, shard.Provenance.Focus = &reports.Shard{Index: 1, Count: 2}, "SURGE"
	measured := exampleRun()
	measured.Measurements = []reports.Measurement{{
		Spec: "surges by number", Node: "node-1", Target: "tcp:10.0.0.1:80", Lasted: time.Minute, Sent: 2, Failed: 1, LongestSilence: 1500 * time.Microsecond,
		Answers: []reports.Answers{{Pod: "agent-a", Count: 1}}, FirstFailures: []reports.FailedRequest{{At: 90 * time.Second, Error: "refused"}},
	}}
	measured.Circumstances = []reports.Circumstances{{Spec: "surges by number", Ended: "exit status 1", Refused: []reports.Refused{{What: "it", Answer: "no"}}}}
	for name, run := range map[string]reports.Run{"the example": exampleRun(), "a shard": shard, "with measurements": measured, "empty": {}} {
		for i := range run.Catalogue {
			// As every row of the real one has it.
			run.Catalogue[i].Kubernetes.Behaviour = reports.Conforms
		}
		if err := schematest.Check("report", yamlOf(t, assemble(t, run))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSchemaRefusesWhatIsNoReport(t *testing.T) {
	t.Parallel()
	good := string(yamlOf(t, assemble(t, exampleRun())))
	for name, row := range map[string]struct{ text, want string }{
		"an unknown field":        {good + "colour: red\n", "colour"},
		"an unknown verdict":      {strings.Replace(good, "verdict: inconclusive", "verdict: maybe", 1), "/requirements/2/verdict"},
		"a verdict left out":      {strings.Replace(good, "    verdict: inconclusive\n", "", 1), "missing property 'verdict'"},
		"a number for a text":     {strings.Replace(good, "statement: a budget is never overdrawn", "statement: 7", 1), "/statement"},
		"a time that is none":     {strings.Replace(good, "duration: 3m12s", "duration: a while", 1), "/provenance/duration"},
		"a malformed requirement": {strings.Replace(good, "id: SURGE-009", "id: SURGE-9", 1), "/requirements/1/id"},
	} {
		if row.text == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if err := schematest.Check("report", []byte(row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s in it", name, err, row.want)
		}
	}
}

func TestTheSchemaOfEventsAcceptsThem(t *testing.T) {
	t.Parallel()
	report := assemble(t, exampleRun())
	all := []reports.Event{
		{Event: reports.EventRunBegan, Run: &reports.EventRun{Implementation: "mine", Specs: 3}},
		{Event: reports.EventSpecBegan, Spec: "surges by number"},
		{Event: reports.EventSpecEnded, Spec: "surges by number", Verdict: reports.Fail, Requirements: reports.EventVerdicts(exampleRun().Outcomes, func(reports.ID) bool { return true })},
		{Event: reports.EventImplementationEnded, End: &reports.EventEnd{Status: "exit status 1", Log: []string{"panic"}}},
		reports.ResultOf(report, "report.yaml", reports.ExitCode(report)),
	}
	before := exampleRun()
	before.Outcomes[2].Verdict, before.Outcomes[2].Violations = reports.Pass, nil
	changes := reports.ChangeEvents(reports.Compare(assemble(t, before), report))
	if len(changes) != 1 || changes[0].Change.Requirement != "SURGE-009" || !changes[0].Change.Worse {
		t.Errorf("got %+v", changes)
	}
	for _, event := range append(all, changes...) {
		event.Time = time.Now()
		text, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Check("events", text); err != nil {
			t.Errorf("%s: %v", event.Event, err)
		}
	}
	if err := schematest.Check("events", []byte(`{"event": "somethingElse", "time": "2026-11-22T00:00:00Z"}`)); err == nil {
		t.Error("an unknown event is accepted")
	}
	if err := schematest.Check("events", []byte(`{"event": "summary"}`)); err == nil {
		t.Error("an event without a time is accepted")
	}
}
