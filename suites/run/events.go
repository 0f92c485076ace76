package run

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
)

// jsonUsage is what -json does, for every command that has it.
const jsonUsage = "print one JSON object a line on standard output, as `rollcall schema events` describes them, and the text on standard error"

// events prints reports.Event, a line each. Nil prints nothing.
type events struct {
	mu  sync.Mutex
	out io.Writer
}

// streams are where a command prints its text and its events: with -json, the events on out and the text on standard error.
func streams(asJSON bool, out, standardError io.Writer) (text io.Writer, told *events) {
	if asJSON {
		return standardError, &events{out: out}
	}
	return out, nil
}

// tell prints the events in one write each. Whoever reads them may have left: that decides nothing.
func (e *events) tell(all ...reports.Event) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, event := range all {
		event.Time = time.Now().UTC()
		if line, err := json.Marshal(event); err == nil {
			_, _ = e.out.Write(append(line, '\n'))
		}
	}
}
