package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Measurement is what a client on a node saw of a daemon there while a scenario went on. It decides nothing by itself: the checks of its spec do.
// It is read from the scenario's recording, where framework/history has a Measurement of its own: this package imports nothing of the framework.
type Measurement struct {
	Spec      string `yaml:"spec"`
	Recording string `yaml:"recording,omitempty"`
	// Node that the client ran on, and the Target that it called, as network:address.
	Node   string `yaml:"node"`
	Target string `yaml:"target"`
	// During says what the scenario did meanwhile, for example "surge"; it may be empty.
	During string `yaml:"during,omitempty"`
	// Lasted is from the first request to the end; the other times count from the first request, too.
	Lasted time.Duration `yaml:"lasted"`
	// Sent requests, and those of them that Failed: that had no answer, or a wrong one.
	Sent   int `yaml:"sent"`
	Failed int `yaml:"failed"`
	// LongestSilence is the longest time without an answer, SilenceAt when it began.
	LongestSilence time.Duration `yaml:"longestSilence"`
	SilenceAt      time.Duration `yaml:"silenceAt"`
	// Answers by process, in the order of each one's first.
	Answers []Answers `yaml:"answers,omitempty"`
	// FirstFailures are the first few.
	FirstFailures []FailedRequest `yaml:"firstFailures,omitempty"`
}

// Answers are those of one process.
type Answers struct {
	// Pod and Version that the process says it is of.
	Pod     string        `yaml:"pod"`
	Version string        `yaml:"version,omitempty"`
	Count   int           `yaml:"count"`
	First   time.Duration `yaml:"first"`
	Last    time.Duration `yaml:"last"`
}

// FailedRequest is a request without an answer, or with a wrong one.
type FailedRequest struct {
	// At is when it was given up.
	At    time.Duration `yaml:"at"`
	Error string        `yaml:"error"`
}

// measurementsInOrder returns the measurements by spec; those of one spec keep their order.
func measurementsInOrder(all []Measurement) []Measurement {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Measurement) int {
		return cmp.Or(strings.Compare(a.Spec, b.Spec), strings.Compare(a.Recording, b.Recording))
	})
	return all
}
