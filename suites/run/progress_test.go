package run

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

func ended(text string, verdicts ...reports.Verdict) spec.Progress {
	p := spec.Progress{Spec: text, Ended: true, Took: 1500 * time.Millisecond}
	for _, verdict := range verdicts {
		reason := ""
		if verdict == reports.Inconclusive {
			reason = "it was not reached"
		}
		p.Verdicts = append(p.Verdicts, reports.EventVerdict{Requirement: "SURGE-001", Verdict: verdict, Reason: reason})
	}
	return p
}

func TestAPersonIsToldWhatDidNotPass(t *testing.T) {
	broken := ended("breaks", reports.Pass, reports.Fail)
	broken.Stories, broken.Circumstances = []spec.Story{{Requirement: "SURGE-001", Text: "SURGE-001 broken on node n\n"}}, "the machine was slow"
	kubernetes, both := ended("meets a bug", reports.Fail, reports.Pass), ended("meets a bug and breaks", reports.Fail, reports.Fail)
	kubernetes.Verdicts[0].NotItsOwn, both.Verdicts[0].NotItsOwn = true, true
	untidy := ended("untidy", reports.Pass)
	untidy.Failure = "could not clean up"
	for name, row := range map[string]struct {
		told    spec.Progress
		verbose bool
		want    string
	}{
		"it passed":                    {ended("passes", reports.Pass), false, ""},
		"it did not run":               {ended("does not run", reports.NotRun), false, ""},
		"it passed, and all is wanted": {ended("passes", reports.Pass), true, "pass: passes (1.5 s)\n"},
		"it failed":                    {broken, false, "fail: breaks (1.5 s)\n\nSURGE-001 broken on node n\n\nthe machine was slow\n\n"},
		"two undecided, for one reason": {ended("wonders", reports.Inconclusive, reports.Inconclusive), false,
			"inconclusive: wonders (1.5 s)\n  SURGE-001, SURGE-001 inconclusive: it was not reached\n"},
		"the harness failed":                       {untidy, false, "pass: untidy (1.5 s)\n  the harness failed: could not clean up\n"},
		"Kubernetes breaks it":                     {kubernetes, false, ""},
		"Kubernetes breaks it, and all is wanted":  {kubernetes, true, "fail: meets a bug (1.5 s)\n"},
		"Kubernetes breaks it, and it breaks more": {both, false, "fail: meets a bug and breaks (1.5 s)\n"},
		"it broke off":                             {spec.Progress{Spec: "panics", Ended: true}, false, "inconclusive: panics (0.0 s)\n"},
	} {
		if got := account(row.told, row.verbose, map[reports.ID]int{}); got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, row.want)
		}
	}
}

func TestWhatMostSpecsSeeBrokenIsToldOfTheFirstAlone(t *testing.T) {
	before := map[reports.ID]int{}
	of := func(verbose bool, ids ...reports.ID) string {
		told := spec.Progress{Circumstances: "the machine was slow"}
		for _, id := range ids {
			told.Stories = append(told.Stories, spec.Story{Requirement: id, Text: string(id) + " broken"})
		}
		return stories(told, verbose, before)
	}
	for range storiesTold {
		if text := of(false, "API-020", "API-020"); text != "\nAPI-020 broken\n\nAPI-020 broken\n\nthe machine was slow\n\n" {
			t.Errorf("got %q", text)
		}
	}
	again := "  API-020 broken, too: told of 3 specs above; report.html tells this one, and -v all of them here\n"
	if text := of(false, "API-020", "API-020"); text != again {
		t.Errorf("got %q", text)
	}
	if text := of(false, "API-020", "SURGE-001"); text != "\nSURGE-001 broken\n\nthe machine was slow\n\n"+again {
		t.Errorf("got %q", text)
	}
	if text := of(true, "API-020"); !strings.HasPrefix(text, "\nAPI-020 broken\n") {
		t.Errorf("-v: got %q", text)
	}
}

func TestProgressIsReadAsItIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "progress.jsonl")
	var out bytes.Buffer
	stopped := 0
	p := &progress{path: path, total: 4, out: &console{out: &out}, stopAfter: 2, stop: func() { stopped++ }, pace: pace{{at: time.Unix(0, 0)}}, verdicts: map[reports.Verdict]int{}}
	p.hear() // nothing there yet
	line := func(told spec.Progress) string {
		text, err := json.Marshal(told)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	whole := line(spec.Progress{Spec: "one"}) + line(ended("one", reports.Fail)) + line(ended("two", reports.Pass)) + line(ended("three", reports.Fail)) + line(ended("four", reports.Fail))
	for i := 0; i < len(whole); i += 37 { // in pieces that end anywhere
		if err := os.WriteFile(path, []byte(whole[:min(i+37, len(whole))]), 0o600); err != nil {
			t.Fatal(err)
		}
		p.hear()
	}
	if stopped != 1 {
		t.Errorf("stopped %d times", stopped)
	}
	bug := ended("five", reports.Fail)
	bug.Verdicts[0].NotItsOwn = true
	calm := &progress{total: 2, out: &console{out: &out}, stopAfter: 1, stop: func() { t.Error("stopped for what Kubernetes breaks") }, verdicts: map[reports.Verdict]int{}}
	calm.take(bug)
	if calm.verdicts[reports.Fail] != 0 {
		t.Error("what Kubernetes breaks counts as failed")
	}
	last := &progress{total: 1, out: &console{out: io.Discard}, stopAfter: 1, stop: func() { t.Error("stopped when all had ended") }, verdicts: map[reports.Verdict]int{}}
	last.take(ended("one", reports.Fail))
	if got := out.String(); strings.Count(got, "fail: ") != 2 || strings.Contains(got, "four") {
		t.Errorf("got\n%s", got)
	}
	if got, want := p.where(time.Unix(30, 0)), "3 of 4 specs, 2 failed, about 10s more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgressIsSaidWhenThereIsSomeAndOtherwiseOnceAMinute(t *testing.T) {
	var out bytes.Buffer
	began := time.Unix(0, 0)
	p := &progress{total: 9, out: &console{out: &out}, said: began}
	for second := range 200 {
		if second >= 10 {
			p.ended = 1
		}
		p.sayWhere(began.Add(time.Duration(second) * time.Second))
	}
	// After 15, 75, 135 and 195 seconds.
	if got := strings.Count(out.String(), "rollcall: 1 of 9 specs"); got != 4 {
		t.Errorf("said %d times, want 4:\n%s", got, out.String())
	}
}

func TestWhatIsWrittenGoesAboveTheLineThatChanges(t *testing.T) {
	var out bytes.Buffer
	c := &console{out: &out, terminal: true}
	c.status("1 of 2")
	if _, err := c.Write([]byte("news\n")); err != nil {
		t.Fatal(err)
	}
	c.status("2 of 2")
	c.status("2 of 2")
	c.status("")
	if got, want := out.String(), "1 of 2\r\x1b[Knews\n1 of 2\r\x1b[K2 of 2\r\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
