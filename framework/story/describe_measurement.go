package story

import (
	"fmt"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// describeMeasurement puts a client's result in words, for example "rollcall: measured tcp:127.0.0.1:20001 on node-1 for 10.0 s (surge): sent 2000,
// failed 3, longest silence 240 ms; first failure after 4.100 s: connection refused".
func describeMeasurement(m *history.Measurement) string {
	var text strings.Builder
	fmt.Fprintf(&text, "rollcall: measured %s on %s for %.1f s", m.Target, m.Node, m.Lasted.Seconds())
	if m.During != "" {
		fmt.Fprintf(&text, " (%s)", m.During)
	}
	fmt.Fprintf(&text, ": sent %d, failed %d, longest silence %d ms", m.Sent, m.Failed, m.LongestSilence.Milliseconds())
	if len(m.FirstFailures) > 0 {
		first := m.FirstFailures[0]
		fmt.Fprintf(&text, "; first failure after %.3f s: %s", first.At.Seconds(), first.Error)
	}
	return text.String()
}
