package paragraph

import (
	"regexp"
	"strings"
	"unicode"
)

// terminalSequence matches what colours text on a terminal and is noise everywhere else.
var terminalSequence = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// Printable removes what XML cannot hold, what would move a terminal's cursor and what would turn the direction of text; line breaks and
// tabs stay.
func Printable(text string) string {
	text = terminalSequence.ReplaceAllString(text, "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\ufffe', r == '\uffff':
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
