package story

import (
	"fmt"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// describeHarness puts what the harness did or saw in words; it is empty for a watch event.
func describeHarness(entry history.Entry) string {
	switch {
	case entry.Stimulus != nil:
		return describeStimulus(entry.Stimulus)
	case entry.Outcome != nil:
		return describeOutcome(entry.Outcome)
	case entry.Exchange != nil:
		return describeExchange(entry.Exchange)
	case entry.Mark != "":
		return "rollcall: " + string(entry.Mark)
	case entry.Measurement != nil:
		return describeMeasurement(entry.Measurement)
	case entry.Ending != nil:
		return "rollcall: end of scenario"
	}
	return ""
}

func describeStimulus(stimulus *history.Stimulus) string {
	text := "rollcall: " + string(stimulus.Act)
	if name := strings.TrimSpace(string(stimulus.Kind) + " " + stimulus.Name); name != "" && !strings.Contains(string(stimulus.Act), name) {
		// "delete pod" on a Pod needs no second "Pod".
		if strings.HasSuffix(strings.ToLower(string(stimulus.Act)), strings.ToLower(string(stimulus.Kind))) {
			name = stimulus.Name
		}
		text += " " + name
	}
	if stimulus.Node != "" && stimulus.Node != stimulus.Name {
		text += " on " + stimulus.Node
	}
	if stimulus.Detail != "" {
		text += " (" + stimulus.Detail + ")"
	}
	return text
}

func describeOutcome(outcome *history.Outcome) string {
	switch {
	case outcome.Refused:
		return "rollcall: refused: " + outcome.Error
	case outcome.Error != "":
		return "rollcall: failed: " + outcome.Error
	}
	return "rollcall: done"
}

func describeExchange(exchange *history.Exchange) string {
	object := strings.Trim(exchange.Resource+"/"+exchange.Name+"/"+exchange.Subresource, "/")
	answer := fmt.Sprint(exchange.Code)
	if exchange.Error != "" {
		answer = exchange.Error
	} else if exchange.Reason != "" {
		answer += " " + exchange.Reason
	}
	return fmt.Sprintf("rollcall: %s %s: %s", exchange.Verb, object, answer)
}
