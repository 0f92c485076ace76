package story_test

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/goldentest"
)

func TestStoriesReadLikeThis(t *testing.T) {
	t.Parallel()
	recording := "_artifacts/recordings/surge.jsonl"
	cases := map[string]struct {
		make      func(*testing.T) example
		recording string
		unicode   bool
	}{
		"third pod on a node":          {make: thirdPodOnANode, recording: recording, unicode: true},
		"third pod on a node in ascii": {make: thirdPodOnANode, recording: recording},
		"old pod gone too early":       {make: oldPodGoneTooEarly, recording: recording, unicode: true},
		"too many at once":             {make: tooManyAtOnce, recording: recording, unicode: true},
		"nothing happened":             {make: nothingHappened, unicode: true},
		"due and missing":              {make: dueAndMissing, unicode: true},
		"status only":                  {make: statusOnly, unicode: true},
		"too few at the end":           {make: tooFewAtTheEnd, unicode: true},
		"overdrawn":                    {make: overdrawn, recording: recording, unicode: true},
		"long history":                 {make: longHistory, recording: "my artifacts/it's.jsonl", unicode: true},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := test.make(t)
			violation := story.Report(given.h, given.violation, story.Options{Recording: test.recording, Spec: given.spec})
			requirement := reports.Requirement{ID: violation.Requirement, Statement: given.statement}
			options := reports.StoryOptions{Unicode: test.unicode}
			got := reports.Story(requirement, violation, options)
			if again := reports.Story(requirement, readBack(t, requirement, violation), options); again != got {
				t.Errorf("written from the report that was read back:\n%s\nwant\n%s", again, got)
			}
			for _, line := range strings.Split(got, "\n") {
				if utf8.RuneCountInString(line) > 100 {
					t.Errorf("a line is wider than 100 columns: %q", line)
				}
				if !test.unicode && len(line) != utf8.RuneCountInString(line) {
					t.Errorf("a line is not ASCII: %q", line)
				}
			}
			goldentest.Equal(t, filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".txt"), got)
		})
	}
}

// readBack is the violation as it stands in a report that was written and read.
func readBack(t *testing.T, requirement reports.Requirement, violation reports.Violation) reports.Violation {
	t.Helper()
	requirement.Level = reports.LevelCore
	report, err := reports.Assemble(reports.Run{
		Catalogue: []reports.Requirement{requirement},
		Outcomes:  []reports.Outcome{{Requirement: requirement.ID, Spec: "a spec", Verdict: reports.Fail, Violations: []reports.Violation{violation}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := reports.WriteYAML(&file, report); err != nil {
		t.Fatal(err)
	}
	read, err := reports.ReadYAML(&file)
	if err != nil {
		t.Fatal(err)
	}
	return read.Requirements[0].Violations[0]
}

func TestAReportedViolationCarriesTheEvidence(t *testing.T) {
	t.Parallel()
	given := thirdPodOnANode(t)
	reported := story.Report(given.h, given.violation, story.Options{Recording: "recordings/a.jsonl", Spec: "surges over a failed pod"})
	if reported.Spec != "surges over a failed pod" || reported.Recording != "recordings/a.jsonl" || reported.Node != "node-3" ||
		reported.Requirement != "SURGE-009" || reported.ResourceVersion != given.violation.ResourceVersion || reported.Got != given.violation.Got {
		t.Errorf("got %+v, want what the violation says", reported)
	}
	if len(reported.Window) != 3 {
		t.Fatalf("the window is %+v, want its three events", reported.Window)
	}
	last := reported.Window[2]
	if last.Offset != 0 || !last.Broke || last.Node != "node-3" || last.Event != "pod agent-c4d5e (updated v2) on node-3 was created: pending" {
		t.Errorf("the window ends with %+v, want the event that broke the promise", last)
	}
	if failed := reported.Window[1]; failed.Offset != -4*time.Millisecond || failed.Broke {
		t.Errorf("the pod failed with %+v, want -4ms from the violation", failed)
	}
}

func TestAWindowFromElsewhereIsStillDescribed(t *testing.T) {
	t.Parallel()
	given := thirdPodOnANode(t)
	elsewhere := historytest.New(t)
	elsewhere.DaemonSet("agent").Pod("agent-zzzzz", "node-9")
	given.violation.Window = []history.Entry{newest(elsewhere)}
	window := story.Report(given.h, given.violation, story.Options{}).Window
	if len(window) != 1 || window[0].Event != "pod agent-zzzzz on node-9 was created: pending" {
		t.Errorf("got %+v, want the foreign event in words", window)
	}
}

func TestAViolationWithoutATimeTakesThatOfItsEvent(t *testing.T) {
	t.Parallel()
	given := thirdPodOnANode(t)
	want := story.Report(given.h, given.violation, story.Options{})
	given.violation.Time = time.Time{}
	if got := story.Report(given.h, given.violation, story.Options{}); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestAViolationBeforeAnyEventIsToldWithoutAPicture(t *testing.T) {
	t.Parallel()
	empty := historytest.New(t).History()
	v := story.Report(empty, judge.Violation{Requirement: "SURGE-002", Promise: "a promise", Node: "node-1", Got: "nothing at all"}, story.Options{Spec: "a spec"})
	got := reports.Story(reports.Requirement{ID: "SURGE-002"}, v, reports.StoryOptions{})
	if want := "SURGE-002 broken on node node-1\n  checked   a promise\n  got       nothing at all\n  in        a spec\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
