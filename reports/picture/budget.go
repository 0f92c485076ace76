package picture

import (
	"fmt"
	"strings"
	"time"
)

// Budget is the numbers of a PodDisruptionBudget around an instant.
type Budget struct {
	Name string `yaml:"name"`
	// Limit is what its spec asks for, for example "minAvailable 2".
	Limit string `yaml:"limit"`
	// Instants are those at which a number changed, or an eviction was answered, in order.
	Instants []Instant `yaml:"instants"`
}

// Instant is what holds of a budget from an instant on.
type Instant struct {
	// At is when, from the moment that the picture is about.
	At time.Duration `yaml:"at"`
	// Healthy is how many of the pods that it selects are Ready and not terminating; Expected, Reported, Desired and Allowed are what its status says:
	// expectedPods, currentHealthy, desiredHealthy and disruptionsAllowed.
	Healthy  int `yaml:"healthy"`
	Expected int `yaml:"expected"`
	Reported int `yaml:"reported"`
	Desired  int `yaml:"desired"`
	Allowed  int `yaml:"allowed"`
	// Eviction is the answer to an eviction of Pod; empty if there was none.
	Eviction Answer `yaml:"eviction,omitempty"`
	Pod      string `yaml:"pod,omitempty"`
	// Broke marks the instant at which a promise was broken, or the last before that.
	Broke bool `yaml:"broke,omitempty"`
}

// Answer is the API server's to an eviction.
type Answer string

// The answers.
const (
	Accepted Answer = "accepted"
	Refused  Answer = "refused"
)

// barColumns bounds the bar of a budget's pods.
const barColumns = 24

// DrawBudget returns the numbers as lines of text, with a bar of the healthy pods on which | marks how many are desired. It is empty without instants.
func DrawBudget(b Budget, unicode bool) string {
	if len(b.Instants) == 0 {
		return ""
	}
	block, line := "#", "|"
	if unicode {
		block, line = "█", "│"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "  PodDisruptionBudget %s: %s\n", b.Name, b.Limit)
	fmt.Fprintf(&out, "      seconds  healthy  status: healthy  desired  allowed  pods: %s healthy, %s desired\n", block, line)
	for _, instant := range b.Instants {
		mark := " "
		if instant.Broke {
			mark = ">"
		}
		text := fmt.Sprintf("  %s %+9.3f  %7d  %15d  %7d  %7d  %s", mark, instant.At.Seconds(), instant.Healthy, instant.Reported, instant.Desired, instant.Allowed,
			bar(instant, block, line))
		if instant.Eviction != "" {
			text = strings.TrimRight(text, " ") + fmt.Sprintf("  eviction of pod %s %s", instant.Pod, instant.Eviction)
		}
		out.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return out.String()
}

func bar(instant Instant, block, line string) string {
	var out strings.Builder
	for i := range min(max(instant.Healthy, instant.Desired), barColumns) + 1 {
		if i == min(instant.Desired, barColumns) {
			out.WriteString(line)
		}
		switch {
		case i < instant.Healthy && i < barColumns:
			out.WriteString(block)
		case i < max(instant.Healthy, instant.Desired):
			out.WriteString(" ")
		}
	}
	return strings.TrimRight(out.String(), " ")
}
