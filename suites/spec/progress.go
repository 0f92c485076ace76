package spec

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Progress is what the processes that run specs say of one while they run: a line of JSON in the session's file when it begins and when it ends.
type Progress struct {
	// Spec is its text.
	Spec string `json:"spec"`
	// Ended: it has ended, after Took. Everything that follows is known only then.
	Ended bool          `json:"ended,omitempty"`
	Took  time.Duration `json:"took,omitempty"`
	// Recording is its path, relative to the folder of the run; empty if there is none.
	Recording string `json:"recording,omitempty"`
	// Verdicts of its requirements, with their reasons.
	Verdicts []reports.EventVerdict `json:"verdicts,omitempty"`
	// Stories of what it saw broken, and the Circumstances, if there are any to tell.
	Stories       []Story `json:"stories,omitempty"`
	Circumstances string  `json:"circumstances,omitempty"`
	// Failure is the harness's own.
	Failure string `json:"failure,omitempty"`
}

// Verdict is the spec's: the one that matters most among those of its requirements.
func (p Progress) Verdict() reports.Verdict { return VerdictOf(p.Verdicts) }

// VerdictOf is the verdict of a spec that came to these: the one that matters most, and inconclusive if there is none.
func VerdictOf(of []reports.EventVerdict) reports.Verdict {
	verdicts := make([]reports.Verdict, len(of))
	for i, verdict := range of {
		verdicts[i] = verdict.Verdict
	}
	if len(verdicts) == 0 {
		return reports.Inconclusive
	}
	return reports.Merge(verdicts...)
}

// Event is what is told as `-json` prints it.
func (p Progress) Event() reports.Event {
	if !p.Ended {
		return reports.Event{Event: reports.EventSpecBegan, Spec: p.Spec}
	}
	return reports.Event{
		Event: reports.EventSpecEnded, Spec: p.Spec, Recording: p.Recording, Seconds: p.Took.Round(time.Millisecond).Seconds(), Verdict: p.Verdict(), Requirements: p.Verdicts, Failure: p.Failure,
	}
}

// NotItsOwn reports whether the spec failed, and by nothing but what Kubernetes itself breaks.
func (p Progress) NotItsOwn() bool {
	return p.Verdict() == reports.Fail && !slices.ContainsFunc(p.Verdicts, func(v reports.EventVerdict) bool { return v.Verdict == reports.Fail && !v.NotItsOwn })
}

// teller tells the progress of one spec.
type teller struct {
	path  string
	began time.Time
	p     Progress
}

// begin says that the spec begins. What cannot be said decides nothing, so it is not worth a failure.
func (s Session) begin(text string) *teller {
	t := &teller{path: s.Progress, began: time.Now(), p: Progress{Spec: text}}
	t.tell()
	return t
}

// end says how the spec ended.
func (t *teller) end() {
	t.p.Ended, t.p.Took = true, time.Since(t.began)
	t.tell()
}

func (t *teller) outcomes(outcomes []reports.Outcome, catalogue *requirements.Catalogue) {
	t.p.Verdicts = EventVerdicts(outcomes, catalogue)
}

// EventVerdicts are the outcomes as `-json` prints them.
func EventVerdicts(outcomes []reports.Outcome, catalogue *requirements.Catalogue) []reports.EventVerdict {
	return reports.EventVerdicts(outcomes, func(id reports.ID) bool {
		requirement, _ := catalogue.Get(id)
		return requirement.BrokenBy() != ""
	})
}

// tell appends a line in one write, so that those of several processes do not mix.
func (t *teller) tell() {
	if t.path == "" {
		return
	}
	text, err := json.Marshal(t.p)
	if err == nil {
		err = appendTo(t.path, append(text, '\n'))
	}
	if err != nil {
		fmt.Fprintf(ginkgo.GinkgoWriter, "progress is not told: %v\n", strings.TrimSpace(err.Error()))
	}
}

func appendTo(path string, line []byte) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.Write(line); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
