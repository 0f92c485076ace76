package historytest

import "github.com/rollcall-conformance/rollcall/framework/history"

// Measured writes down what a client had measured until now.
func (b *Builder) Measured(measurement history.Measurement) *Builder {
	b.append(history.Entry{ResourceVersion: b.version, Measurement: &measurement})
	return b
}
