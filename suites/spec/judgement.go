package spec

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/framework/verdict"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Judgement is what a recording says about its spec's requirements, and about any other that it shows broken.
type Judgement struct {
	// Outcomes, one a requirement: those that the spec declares, then others that the recording shows broken.
	Outcomes []reports.Outcome
	// Observations decide nothing.
	Observations []string

	// Standing are the verdicts of the standing rules.
	Standing judge.Verdicts
	// Violations in the order of the rules and checks, those of features that the implementation does not claim left out.
	Violations []judge.Violation
	// Circumstances are those of the recording, once it was told: see Tell. Nil if there are none to tell.
	Circumstances *reports.Circumstances
	// Measurements are those of the recording, once it was told.
	Measurements []reports.Measurement

	history *history.History
	// lost is the first node that was lost by itself; empty if none was.
	lost string
}

// Judge judges a recording of the spec: by the standing rules, and by the spec's own checks, in one replay. It needs nothing but the recording, so that
// whoever judges it again comes to the same judgement.
func (s *Spec) Judge(h *history.History, catalogue *requirements.Catalogue) Judgement {
	// Checks may look at any kind but Events, which are evidence and not in the order.
	inOrder := slices.DeleteFunc(slices.Clone(h.Kinds), history.Kind.EvidenceOnly)
	evidence := verdict.Evidence{Incomplete: judge.Incomplete(h, inOrder...)}
	if ending := h.End(); ending != nil {
		evidence.Aborted, evidence.Impossible = ending.Aborted, ending.Impossible
	} else if h.Damage == "" {
		evidence.Incomplete = "it ends before its scenario does"
	}
	checks := &Checks{}
	// What is missing from a recording may still have happened, so its checks are not asked.
	if evidence.Aborted == "" && evidence.Impossible == "" && evidence.Incomplete == "" {
		if checks, evidence.Aborted = s.ask(h); evidence.Aborted != "" {
			// Nobody fails by a spec that is wrong itself.
			checks = &Checks{}
		}
	}
	survey, lost := matchers.NewSurvey(h, checks.matchers()...), newLostNodes(h)
	standing := judge.Run(h, rules.All(), survey.Observe, lost.observe)
	j := Judgement{history: h, Standing: s.held(standing), lost: lost.first}
	if evidence.Aborted == "" {
		evidence.Unmet = cmp.Or(j.lost, checks.unmet(survey, standing))
		for _, read := range checks.observed {
			j.Observations = append(j.Observations, read(h))
		}
	}
	answers := standingAnswers(j.Standing, checks.asked())
	j.Violations = j.Standing.Violations()
	for _, check := range checks.checks {
		if s.wants.foreign(h.Header, check.id) != "" {
			continue
		}
		answer := survey.Ask(check.matcher, standing)
		answers[check.id] = append(answers[check.id], verdict.Answer{Broken: len(answer.Violations) > 0 && evidence.Unmet == "", Untested: answer.Untested})
		if evidence.Unmet != "" {
			continue
		}
		for _, violation := range answer.Violations {
			violation.Requirement = check.id
			j.Violations = append(j.Violations, violation)
		}
	}
	j.decide(s, catalogue, evidence, answers)
	return j
}

// held are those of the standing rules' verdicts that the spec's recordings may give.
func (s *Spec) held(standing judge.Verdicts) judge.Verdicts {
	if !s.wants.oneCause {
		return standing
	}
	return slices.DeleteFunc(slices.Clone(standing), func(v judge.Verdict) bool { return !slices.Contains(s.Decides, v.Requirement) })
}

// decide gives every requirement its verdict.
func (j *Judgement) decide(s *Spec, catalogue *requirements.Catalogue, evidence verdict.Evidence, answers map[requirements.ID][]verdict.Answer) {
	ids := slices.Clone(s.Decides)
	for _, violation := range j.Violations {
		if !slices.Contains(ids, violation.Requirement) {
			ids = append(ids, violation.Requirement)
		}
	}
	for _, id := range ids {
		about := evidence
		about.Unclaimed, about.Answers = unclaimed(catalogue, j.history.Features, id), answers[id]
		about.Impossible = cmp.Or(about.Impossible, s.wants.foreign(j.history.Header, id))
		outcome := reports.Outcome{Requirement: id, Spec: s.Text, Duration: took(j.history)}
		if ending := j.history.End(); ending != nil {
			outcome.Nodes = ending.Nodes
		}
		if outcome.Verdict, outcome.Reason = verdict.Of(about); outcome.Verdict == reports.Unsupported && !slices.Contains(s.Decides, id) {
			continue
		}
		if outcome.Verdict == reports.Inconclusive {
			outcome.Reason, outcome.Cause = reasonOf(j.history, outcome.Reason), causeOf(j.history)
		}
		j.Outcomes = append(j.Outcomes, outcome)
	}
	// Nobody is held to what they do not claim.
	j.Violations = slices.DeleteFunc(j.Violations, func(v judge.Violation) bool {
		return unclaimed(catalogue, j.history.Features, v.Requirement) != ""
	})
	j.Standing = slices.DeleteFunc(j.Standing, func(v judge.Verdict) bool { return unclaimed(catalogue, j.history.Features, v.Requirement) != "" })
}

// asked are the requirements that the spec has checks of its own for.
func (c *Checks) asked() []requirements.ID {
	var ids []requirements.ID
	for _, check := range c.checks {
		ids = append(ids, check.id)
	}
	return ids
}

// standingAnswers are those of the standing rules, by requirement. A rule that has nothing to decide says nothing where the spec has checks of its own.
func standingAnswers(standing judge.Verdicts, asked []requirements.ID) map[requirements.ID][]verdict.Answer {
	answers := map[requirements.ID][]verdict.Answer{}
	for _, ruled := range standing {
		answer := verdict.Answer{Broken: ruled.Outcome == judge.Broken}
		switch {
		case answer.Broken:
		case ruled.Outcome == judge.Inconclusive:
			answer.Untested = ruled.Reason
		case !ruled.Exercised && slices.Contains(asked, ruled.Requirement):
			continue
		case !ruled.Exercised:
			answer.Untested = "nothing in the recording puts it to the test"
		}
		answers[ruled.Requirement] = append(answers[ruled.Requirement], answer)
	}
	return answers
}

// matchers are all that the checks ask with.
func (c *Checks) matchers() []matchers.Matcher {
	all := slices.Clone(c.given)
	for _, check := range c.checks {
		all = append(all, check.matcher)
	}
	return all
}

// unmet says which of the assumptions is not met, or nothing.
func (c *Checks) unmet(survey *matchers.Survey, standing judge.Verdicts) string {
	for _, given := range c.given {
		if answer := survey.Ask(given, standing); !answer.Kept() {
			return answer.String()
		}
	}
	return ""
}

// took is how long the scenario took, by its recording.
func took(h *history.History) time.Duration {
	if len(h.Entries) == 0 {
		return 0
	}
	return h.Entries[len(h.Entries)-1].Received.Round(time.Millisecond)
}

// unclaimed says that the implementation does not claim the requirement's feature, or nothing.
func unclaimed(catalogue *requirements.Catalogue, features []string, id requirements.ID) string {
	requirement, _ := catalogue.Get(id)
	if slices.Contains(features, string(requirement.Feature)) {
		return ""
	}
	return NotClaimed(requirement.Feature)
}

// NotClaimed is the reason of what is unsupported.
func NotClaimed(feature requirements.Feature) string {
	return fmt.Sprintf("the implementation does not claim %s", feature)
}
