// Package paragraph makes text from anywhere fit to be shown: broken into lines, and without what a terminal would obey. It knows
// nothing of what the text says.
package paragraph

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks the text at white space into lines of at most width characters. A word longer than that is cut. Line breaks in the
// text count as white space; text without any word gives no line.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		runes := []rune(word)
		for len(runes) > width {
			lines = append(lines, string(runes[:width]))
			runes = runes[width:]
		}
		line = string(runes)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Hang writes the text after a label, the lines after the first indented so that they stand under its beginning. The label counts
// towards the width and is padded to it.
func Hang(label string, text string, indent, width int) string {
	var out strings.Builder
	lines := Wrap(text, width-indent)
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		padding := max(0, indent-utf8.RuneCountInString(label))
		out.WriteString(strings.TrimRight(label+strings.Repeat(" ", padding)+line, " "))
		out.WriteByte('\n')
	}
	return out.String()
}
