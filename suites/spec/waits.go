package spec

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	program "github.com/rollcall-conformance/rollcall/framework/process"
)

// Waits are the implementation's waits for a processor, by the time since an instant.
func Waits(waits []program.Wait, since time.Time) []history.Standstill {
	var found []history.Standstill
	for _, wait := range waits {
		found = append(found, history.Standstill{From: wait.From.Sub(since), Until: wait.Until.Sub(since), Waited: wait.Waited})
	}
	return found
}

// later are the standstills by the time since an instant that was so much earlier.
func later(standstills []history.Standstill, by time.Duration) []history.Standstill {
	var shifted []history.Standstill
	for _, standstill := range standstills {
		standstill.From, standstill.Until = standstill.From+by, standstill.Until+by
		shifted = append(shifted, standstill)
	}
	return shifted
}
