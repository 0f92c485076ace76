package reports

import "time"

// EventKind says what an Event is about.
type EventKind string

// The kinds.
const (
	// EventRunBegan: cluster and implementation are ready, and the specs begin. Run says what it is.
	EventRunBegan EventKind = "runBegan"
	// EventSpecBegan: a spec begins.
	EventSpecBegan EventKind = "specBegan"
	// EventSpecEnded: a spec has ended, or its recording was judged again. Spec, Seconds, Verdict and Requirements are set, and Recording or Failure.
	EventSpecEnded EventKind = "specEnded"
	// EventImplementationEnded: the implementation ended by itself. End says how.
	EventImplementationEnded EventKind = "implementationEnded"
	// EventChange: a requirement has another verdict than in the report that this one is compared with, or the same from fewer specs. Change says which.
	EventChange EventKind = "change"
	// EventWatchBegan: `rollcall watch` has its first lists, and judges what happens from now on.
	EventWatchBegan EventKind = "watchBegan"
	// EventRolloutBegan and EventRolloutEnded: `rollcall watch` has seen a rollout begin, or end. Rollout says which.
	EventRolloutBegan EventKind = "rolloutBegan"
	EventRolloutEnded EventKind = "rolloutEnded"
	// EventBroken: `rollcall watch` has seen a promise broken. Broken says which.
	EventBroken EventKind = "promiseBroken"
	// EventNote: what else a reader of `rollcall watch` should know, such as events that are missing. Note has the text.
	EventNote EventKind = "note"
	// EventSummary is the last one. Summary has the answer. Without it the command failed, and standard error says why.
	EventSummary EventKind = "summary"
)

// EventKinds returns the closed list of kinds.
func EventKinds() []EventKind {
	return []EventKind{EventRunBegan, EventSpecBegan, EventSpecEnded, EventImplementationEnded, EventChange, EventWatchBegan, EventRolloutBegan, EventRolloutEnded, EventBroken, EventNote, EventSummary}
}

// Event is one line of what `rollcall run -json`, `rollcall judge -json`, `rollcall diff -json` and `rollcall watch -json` print: a JSON object. Fields that say
// nothing about an event of its kind are left out, and later versions may add some.
type Event struct {
	Event EventKind `json:"event"`
	// Time at which it was printed.
	Time time.Time `json:"time"`
	Run  *EventRun `json:"run,omitempty"`
	// Spec is the text of the spec, and Recording the path of its recording: of a run, relative to its folder.
	Spec      string `json:"spec,omitempty"`
	Recording string `json:"recording,omitempty"`
	// Seconds that the spec took.
	Seconds float64 `json:"seconds,omitempty"`
	// Verdict of the spec: the one that matters most among those of its requirements.
	Verdict      Verdict        `json:"verdict,omitempty"`
	Requirements []EventVerdict `json:"requirements,omitempty"`
	// Failure is the harness's own.
	Failure string        `json:"failure,omitempty"`
	End     *EventEnd     `json:"end,omitempty"`
	Change  *EventChanged `json:"change,omitempty"`
	Rollout *WatchRollout `json:"rollout,omitempty"`
	Broken  *WatchBroken  `json:"broken,omitempty"`
	Note    string        `json:"note,omitempty"`
	Summary *EventResult  `json:"summary,omitempty"`
}

// EventRun says what is run.
type EventRun struct {
	Implementation    string `json:"implementation"`
	Provider          string `json:"provider"`
	KubernetesVersion string `json:"kubernetesVersion"`
	Seed              int64  `json:"seed"`
	// Specs is how many were selected, Parallelism how many of them run at once.
	Specs       int `json:"specs"`
	Parallelism int `json:"parallelism"`
}

// EventVerdict is what a spec found out about one requirement.
type EventVerdict struct {
	Requirement ID      `json:"requirement"`
	Verdict     Verdict `json:"verdict"`
	// Reason for every verdict but pass.
	Reason string `json:"reason,omitempty"`
	// NotItsOwn: Kubernetes itself breaks it, whatever the implementation does.
	NotItsOwn  bool             `json:"notItsOwn,omitempty"`
	Violations []EventViolation `json:"violations,omitempty"`
}

// EventViolation is one broken promise, in brief: see Violation.
type EventViolation struct {
	Promise         string    `json:"promise"`
	Got             string    `json:"got"`
	Node            string    `json:"node,omitempty"`
	ResourceVersion uint64    `json:"resourceVersion"`
	Time            time.Time `json:"time"`
	// Recording is the path of the recording, relative to the folder of the run.
	Recording string `json:"recording,omitempty"`
}

// EventEnd says how the implementation ended.
type EventEnd struct {
	// Status is as the system has it, such as "exit status 1".
	Status string `json:"status"`
	// Log holds the last lines that it printed.
	Log []string `json:"log,omitempty"`
	// Restarted: it is started again, and the run goes on.
	Restarted bool `json:"restarted"`
}

// EventChanged is a Change.
type EventChanged struct {
	Requirement ID `json:"requirement"`
	// Before is empty for a requirement that the first report does not have.
	Before Verdict `json:"before,omitempty"`
	After  Verdict `json:"after"`
	Reason string  `json:"reason,omitempty"`
	Worse  bool    `json:"worse"`
	// SpecsNotRun ran before, were to run and did not, if it is of the same implementation, Kubernetes and provider.
	SpecsNotRun []SpecNotRun `json:"specsNotRun,omitempty"`
}

// EventResult is how it came out.
type EventResult struct {
	// ExitCode that the command ends with.
	ExitCode int `json:"exitCode"`
	// Answer of the report, and Why; empty for a comparison and for a watch.
	Answer Conformance `json:"answer,omitempty"`
	Why    string      `json:"why,omitempty"`
	// Statistics over all requirements.
	Statistics *Statistics `json:"statistics,omitempty"`
	// Report is the path of the report, if one was written.
	Report string `json:"report,omitempty"`
	// Watch is what `rollcall watch` has seen.
	Watch *WatchResult `json:"watch,omitempty"`
}

// EventVerdicts are the outcomes as an event has them; notItsOwn reports whether Kubernetes itself breaks a requirement.
func EventVerdicts(outcomes []Outcome, notItsOwn func(ID) bool) []EventVerdict {
	var verdicts []EventVerdict
	for _, outcome := range outcomes {
		verdict := EventVerdict{Requirement: outcome.Requirement, Verdict: outcome.Verdict, Reason: outcome.Reason, NotItsOwn: notItsOwn(outcome.Requirement)}
		for _, v := range outcome.Violations {
			verdict.Violations = append(verdict.Violations, v.Brief())
		}
		verdicts = append(verdicts, verdict)
	}
	return verdicts
}

// Brief is the violation as an event has it.
func (v Violation) Brief() EventViolation {
	return EventViolation{Promise: v.Promise, Got: v.Got, Node: v.Node, ResourceVersion: v.ResourceVersion, Time: v.Time, Recording: v.Recording}
}

// ChangeEvents are the changes as events.
func ChangeEvents(changes []Change) []Event {
	var events []Event
	for _, c := range changes {
		events = append(events, Event{Event: EventChange, Change: &EventChanged{
			Requirement: c.Requirement.ID, Before: c.Before, After: c.After, Reason: c.Reason, Worse: c.Worse, SpecsNotRun: c.Lost,
		}})
	}
	return events
}

// ResultOf is the event of a report, whose command ends with the exit code.
func ResultOf(report *ConformanceReport, path string, exitCode int) Event {
	statistics := count(report.Requirements)
	return Event{Event: EventSummary, Summary: &EventResult{ExitCode: exitCode, Answer: Judge(report), Why: Why(report), Statistics: &statistics, Report: path}}
}
