package history

import "time"

// Refusal is what the API server refused the implementation, by its audit log: one request, or several that it refused alike. It is evidence, and no
// part of the order.
type Refusal struct {
	// First and Last are when the API server answered, since the recording began; Count is how often.
	First time.Duration `json:"first"`
	Last  time.Duration `json:"last"`
	Count int           `json:"count"`
	// Burst is the largest number of these requests that came in within RefusalBurst. 0 in recordings of versions that did not count it.
	Burst int `json:"burst,omitempty"`
	// User is the implementation's user name.
	User string `json:"user"`
	// Verb is create, update, patch, delete or deletecollection; Group is empty for the core API, Subresource for the object itself, Namespace for
	// cluster-scoped objects. Name is that of the first object; empty where the request did not name it.
	Verb        string `json:"verb"`
	Group       string `json:"group,omitempty"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	// Code, Reason and Message are the first answer's.
	Code    int32  `json:"code"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// RefusalBurst is the length of time of Refusal.Burst: who stops at the first refusal and waits makes few requests in it.
const RefusalBurst = 100 * time.Millisecond

// Health is how the implementation was when a scenario ended.
type Health struct {
	// Ended says how it ended by itself before, for example "exit status 2"; empty if it was alive.
	Ended string `json:"ended,omitempty"`
	// Log holds the last lines that it printed during the scenario: those that name the scenario, if any do.
	Log []string `json:"log,omitempty"`
	// Beside are the lines that it printed around the violations, as far as its log says when.
	Beside []LogLine `json:"beside,omitempty"`
	// Waits are the stretches in which it waited for a processor for half a second or more, in order. There are none where nobody could tell: on systems other
	// than Linux, and where it was not a process of the harness's machine.
	Waits []Standstill `json:"waits,omitempty"`
}

// LogLine is a line of the implementation's log.
type LogLine struct {
	// At is when it was printed, by the line itself, since the recording began.
	At   time.Duration `json:"at"`
	Text string        `json:"text"`
}

// AppendHealth adds how the implementation was to the file that the history was read from, which nobody may be writing to, and to the history.
func (h *History) AppendHealth(path string, health Health) error {
	h.Health = &health
	return h.append(path, func(w *Writer) error { return w.write(line{Health: &health}) })
}
