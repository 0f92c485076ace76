package history

import "time"

// Measurement is what a client on a node saw of a daemon there while the scenario went on. It is recorded as an entry of its own when the client
// has ended, and changes nothing of the cluster's state. A report has its own, reports.Measurement: the form of recordings and that of reports change apart.
type Measurement struct {
	// Node that the client ran on.
	Node string `json:"node"`
	// Target is what it called, as network:address.
	Target string `json:"target"`
	// During says what the scenario did meanwhile, for example "surge"; it tells the measurements of one scenario apart.
	During string `json:"during,omitempty"`
	// Lasted is from the first request to the end.
	Lasted time.Duration `json:"lasted"`
	// Sent requests, and those of them that Failed: that had no answer, or a wrong one.
	Sent   int `json:"sent"`
	Failed int `json:"failed"`
	// LongestSilence is the longest time without an answer, SilenceAt when it began, counted from the first request.
	LongestSilence time.Duration `json:"longestSilence"`
	SilenceAt      time.Duration `json:"silenceAt"`
	// Answers by process, in the order of each one's first.
	Answers []Answers `json:"answers,omitempty"`
	// FirstFailures are the first few.
	FirstFailures []FailedRequest `json:"firstFailures,omitempty"`
}

// Answers are those of one process.
type Answers struct {
	// Pod and Version that the process says it is of.
	Pod     string `json:"pod"`
	Version string `json:"version,omitempty"`
	Count   int    `json:"count"`
	// First and Last are when they came, counted from the first request.
	First time.Duration `json:"first"`
	Last  time.Duration `json:"last"`
}

// FailedRequest is a request without an answer.
type FailedRequest struct {
	// At is when it was given up, counted from the first request.
	At    time.Duration `json:"at"`
	Error string        `json:"error"`
}

// Instant is when something was, by the harness's clock, that the entry's measurement puts at that distance from the first request. The end of
// the measurement is taken to be the entry's time, so the instant is late by as long as the result took to arrive: milliseconds.
func (e Entry) Instant(sinceFirst time.Duration) time.Time {
	return e.Time.Add(sinceFirst - e.Measurement.Lasted)
}

// Measurements returns the entries that hold one, in order.
func (h *History) Measurements() []Entry {
	var measured []Entry
	for _, entry := range h.Entries {
		if entry.Measurement != nil {
			measured = append(measured, entry)
		}
	}
	return measured
}
