package golden

import (
	"fmt"
	"regexp"
)

// Every line of a recording begins with its number.
var (
	numbered = regexp.MustCompile(`(?m)^\{"n":\d+,`)
	uid      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	// Events are named by the nanosecond.
	instant = regexp.MustCompile(`\b[0-9a-f]{16}\b`)
	// The API server ends generated names so.
	suffix = regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
)

// shorten leaves out of a recording's text what does not compress and says nothing: the numbers of its lines, and what is random in UIDs and in the names of Events
// and pods, which are told apart by the order in which they appear.
func shorten(text []byte) []byte {
	text = byOrder(uid, "%08x-0000-0000-0000-000000000000", text)
	text = byOrder(instant, "%016x", text)
	text = byOrder(suffix, "-%05d", text)
	return numbered.ReplaceAllLiteral(text, []byte("{"))
}

// byOrder puts in the place of each text that matches, the same one wherever it is, the number of those that appeared before it.
func byOrder(pattern *regexp.Regexp, format string, text []byte) []byte {
	seen := map[string][]byte{}
	return pattern.ReplaceAllFunc(text, func(found []byte) []byte {
		short, known := seen[string(found)]
		if !known {
			short = fmt.Appendf(nil, format, len(seen))
			seen[string(found)] = short
		}
		return short
	})
}
