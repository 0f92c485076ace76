package golden

import (
	"fmt"
	"regexp"
)

// Every line of a recording begins with its number.
var (
	numbered = regexp.MustCompile(`(?m)^\{"n":\d+,`)
	uid      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// shorten leaves out of a recording's text what does not compress and says nothing: the numbers of its lines, and what is random in UIDs, which are told
// apart by the order in which they appear.
func shorten(text []byte) []byte {
	seen := map[string][]byte{}
	text = uid.ReplaceAllFunc(text, func(found []byte) []byte {
		short, known := seen[string(found)]
		if !known {
			short = fmt.Appendf(nil, "%08x-0000-0000-0000-000000000000", len(seen))
			seen[string(found)] = short
		}
		return short
	})
	return numbered.ReplaceAllLiteral(text, []byte("{"))
}
