package schedule

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Limits of what Parse accepts.
const (
	mostParsedNodes = 50
	longestWait     = time.Minute
	longestMinReady = 60
)

var stepForm = regexp.MustCompile(`^after (\S+): (.+) \((\d+), (\d+)\)$`)

// Parse reads a schedule of these levers. Its error names the line, and what is allowed there.
func Parse(text string, levers []Lever) (Schedule, error) {
	s := Schedule{Nodes: fewestNodes, Strategy: Strategy{MaxSurge: "0", MaxUnavailable: "1"}}
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if comment, is := strings.CutPrefix(line, "#"); is || line == "" {
			if s.Title == "" {
				s.Title = strings.TrimSpace(comment)
			}
			continue
		}
		if err := s.take(line, levers); err != nil {
			return Schedule{}, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	if len(s.Steps) == 0 {
		return Schedule{}, fmt.Errorf("no act: a line such as %q is one", Step{Act: Update})
	}
	return s, nil
}

// take reads one line.
func (s *Schedule) take(line string, levers []Lever) (err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "nodes":
		s.Nodes, err = number(rest, 1, mostParsedNodes)
	case "minReadySeconds":
		s.MinReadySeconds, err = number(rest, 0, longestMinReady)
	case "strategy":
		s.Strategy, err = parseStrategy(rest)
	case "form":
		s.Form, err = parseForm(rest)
	case "after":
		var step Step
		step, err = parseStep(line, levers)
		s.Steps = append(s.Steps, step)
	case "late":
		s.Late, err = parseLate(line)
	case "fault":
		var fault Fault
		fault, err = parseFault(line)
		s.Faults = append(s.Faults, fault)
	default:
		return fmt.Errorf("%q: want nodes, strategy, minReadySeconds, form, late, fault or after", word)
	}
	return err
}

func number(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q: want a number from %d to %d", text, least, most)
	}
	return n, nil
}

func parseStrategy(text string) (Strategy, error) {
	if text == "OnDelete" {
		return Strategy{OnDelete: true}, nil
	}
	var s Strategy
	surge, unavailable, both := strings.Cut(text, ", ")
	s.MaxSurge, s.MaxUnavailable = strings.TrimPrefix(surge, "maxSurge "), strings.TrimPrefix(unavailable, "maxUnavailable ")
	if !both || !isLimit(s.MaxSurge) || !isLimit(s.MaxUnavailable) || (s.MaxSurge == "0") == (s.MaxUnavailable == "0") {
		return Strategy{}, fmt.Errorf("strategy %q: want OnDelete, or such as %q, one of them 0", text, Strategies()[2])
	}
	return s, nil
}

func parseForm(text string) (string, error) {
	if _, found := FormOf(text); text != "" && found {
		return text, nil
	}
	var names []string
	for _, form := range Forms()[1:] {
		names = append(names, form.Name)
	}
	return "", fmt.Errorf("form %q: there are %s", text, strings.Join(names, ", "))
}

func isLimit(text string) bool {
	value := intstr.Parse(text)
	number, err := intstr.GetScaledValueFromIntOrPercent(&value, 100, true)
	return err == nil && number >= 0
}

func parseStep(line string, levers []Lever) (Step, error) {
	parts := stepForm.FindStringSubmatch(line)
	if parts == nil {
		return Step{}, fmt.Errorf("%q: want such as %q", line, Step{Wait: time.Second, Act: Update})
	}
	wait, err := time.ParseDuration(parts[1])
	if err != nil || wait < 0 || wait > longestWait {
		return Step{}, fmt.Errorf("%q: want a time from 0s to %s", parts[1], longestWait)
	}
	step := Step{Wait: wait, Act: parts[2]}
	if !slices.ContainsFunc(levers, func(lever Lever) bool { return lever.Act == step.Act }) {
		var names []string
		for _, lever := range levers {
			names = append(names, lever.Act)
		}
		return Step{}, fmt.Errorf("act %q: there are %s", step.Act, strings.Join(names, "; "))
	}
	// The form lets nothing but digits in, of which there may be too many.
	if step.A, err = strconv.Atoi(parts[3]); err == nil {
		step.B, err = strconv.Atoi(parts[4])
	}
	if err != nil {
		return Step{}, fmt.Errorf("%q: %w", line, err)
	}
	return step, nil
}
