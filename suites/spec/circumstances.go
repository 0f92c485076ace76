package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/refusals"
	"github.com/rollcall-conformance/rollcall/reports"
)

// refusalsInReason bounds how many kinds of refusal a reason names; the circumstances have them all.
const refusalsInReason = 2

// standstillsInReason bounds how many standstills a reason names.
const standstillsInReason = 2

// EndedEarly begins the reason of what could not be decided since the run ended before.
const EndedEarly = "the run ended early: "

// reasonOf adds to why nothing could be decided what the implementation met with meanwhile.
func reasonOf(h *history.History, reason string) string {
	if strings.HasPrefix(reason, EndedEarly) {
		return reason
	}
	parts := []string{reason}
	if ended := endOf(h); ended != "" {
		parts = append(parts, "the implementation had ended by itself: "+ended)
	}
	standstills := h.AllStandstills()
	for i, standstill := range standstills {
		if i == standstillsInReason {
			parts = append(parts, fmt.Sprintf("and %d more standstills", len(standstills)-i))
			break
		}
		if text := standstill.String(); !strings.Contains(reason, text) {
			parts = append(parts, text)
		}
	}
	for i, refused := range h.Refusals {
		if i == refusalsInReason {
			parts = append(parts, fmt.Sprintf("and %d more kinds of request", len(h.Refusals)-i))
			break
		}
		parts = append(parts, "the API server refused "+refusals.Text(refused))
	}
	return strings.Join(parts, "; ")
}

// endOf says how the implementation had ended by itself when the scenario did; empty if it had not, or nobody knows.
func endOf(h *history.History) string {
	if h.Health == nil {
		return ""
	}
	return h.Health.Ended
}

// causeOf is the reason without what differs between scenarios: what the implementation met with or, where that is not known, the precondition.
// It is empty for a scenario that came to its end.
func causeOf(h *history.History) string {
	ending := h.End()
	switch {
	case ending != nil && strings.HasPrefix(ending.Aborted, EndedEarly):
		return ending.Aborted
	case endOf(h) != "":
		return "the implementation had ended by itself: " + endOf(h)
	case len(h.Refusals) > 0:
		return refusals.Cause(*refusals.Main(h.Refusals))
	case ending == nil || ending.Aborted == "":
		return ""
	}
	return inGeneral(ending.Aborted, h.Namespaces)
}

var (
	none = regexp.MustCompile(`\b0 of \d+ `)
	some = regexp.MustCompile(`\b\d+ of \d+ `)
)

// inGeneral is a reason up to the first name that only this scenario has, without its numbers.
func inGeneral(reason string, namespaces []string) string {
	reason, _, _ = strings.Cut(reason, "\n")
	for _, namespace := range namespaces {
		reason, _, _ = strings.Cut(reason, namespace)
	}
	reason = some.ReplaceAllString(none.ReplaceAllString(reason, "none of the "), "not all of the ")
	return strings.TrimRight(reason, ": ;,")
}

// troubled reports whether a requirement failed or could not be decided.
func (j *Judgement) troubled() bool {
	return slices.ContainsFunc(j.Outcomes, func(outcome reports.Outcome) bool {
		return outcome.Verdict == reports.Fail || outcome.Verdict == reports.Inconclusive
	})
}

// circumstances are those of the scenario, for a report; nil if it was played once, nothing failed and everything was decided, or nothing is known of them.
func (j *Judgement) circumstances(recording string) *reports.Circumstances {
	if j.history == nil || !j.troubled() && j.history.Earlier == nil {
		return nil
	}
	c := reports.Circumstances{Spec: j.history.Scenario, Recording: recording, Ended: endOf(j.history)}
	if earlier := j.history.Earlier; earlier != nil {
		c.Earlier = earlier.String()
	}
	if health := j.history.Health; health != nil {
		c.Log = health.Log
	}
	for _, standstill := range j.history.AllStandstills() {
		c.Standstills = append(c.Standstills, standstill.String())
	}
	for _, refused := range j.history.Refusals {
		what := fmt.Sprintf("%s, %s", refusals.Text(refused), between(refused.First, refused.Last))
		c.Refused = append(c.Refused, reports.Refused{What: what, Answer: refusals.Answer(refused)})
	}
	if c.Empty() {
		return nil
	}
	return &c
}

// between says when something was, in seconds since the recording began.
func between(first, last time.Duration) string {
	if first == last {
		return fmt.Sprintf("%.1f s into the recording", first.Seconds())
	}
	return fmt.Sprintf("from %.1f s to %.1f s into the recording", first.Seconds(), last.Seconds())
}
