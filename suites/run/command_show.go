package run

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/kubectl/pkg/util/term"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports/html"
)

// shows are the formats of `rollcall show`.
var shows = []string{"terminal", "html", "trace"}

// showRecording is `rollcall show`: a recording, drawn.
func showRecording(args []string, out io.Writer) (int, error) {
	flags := newFlags("show", out)
	describe(flags, `rollcall show [-format FORMAT] [-node NODE] [-from TIME] [-to TIME] [-output FILE] RECORDING

Draws a recording, whole or a part of it: the pods' lives, the numbers of disruption budgets, what rollcall did, and every event in words. It judges nothing.
terminal is for here, html is a page that needs no other file, trace is the Trace Event Format, which ui.perfetto.dev opens.

Exit code: 0 drawn, 2 the recording cannot be read, has no such node or time, or the file cannot be written.
`)
	format := flags.String("format", shows[0], "`format` to draw in: terminal, html or trace")
	output := flags.String("output", "", "write to this `file` (default: standard output)")
	var part story.Part
	flags.StringVar(&part.Node, "node", "", "show this `node` alone")
	flags.DurationVar(&part.From, "from", 0, "show from this `time` after the recording's beginning on, such as 12.5s")
	flags.DurationVar(&part.To, "to", 0, "show up to this `time` after the recording's beginning (default: its end)")
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	switch {
	case !slices.Contains(shows, *format):
		return exitUsage, usagef("-format: there is no format %q: want one of %s", *format, strings.Join(shows, ", "))
	case part.From < 0 || part.To < 0:
		return exitUsage, usagef("-from and -to count from the recording's beginning and cannot be negative")
	case part.To > 0 && part.To < part.From:
		return exitUsage, usagef("-to %s is before -from %s", part.To, part.From)
	case flags.NArg() != 1:
		return exitUsage, usagef("name one recording, such as _artifacts/recordings/surge-001-0ef5143a.jsonl; flags come before it")
	}
	path := flags.Arg(0)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return exitUsage, usagef("%s is a folder: name one of the recordings in it, which end in .jsonl", path)
	}
	h, err := history.Open(path)
	if err != nil {
		return exitUsage, usageError{err}
	}
	shown, err := story.Show(h, part)
	if err != nil {
		return exitUsage, usagef("%s: %w", path, err)
	}
	shown.Name, shown.Part = path, partOf(part)
	var text bytes.Buffer
	switch *format {
	case "html":
		err = html.WriteRecording(&text, shown)
	case "trace":
		err = shown.WriteTrace(&text)
	default:
		text.WriteString(shown.Text(*output != "" || term.IsTerminal(os.Stdout)))
	}
	if err != nil {
		return exitHarness, err
	}
	return exitConformant, deliver(out, *output, text.Bytes())
}

// partOf is what is shown of a recording, in words; empty for the whole.
func partOf(part story.Part) string {
	var words []string
	if part.Node != "" {
		words = append(words, "node "+part.Node)
	}
	if part.From > 0 || part.To > 0 {
		to := "its end"
		if part.To > 0 {
			to = part.To.Round(time.Millisecond).String()
		}
		words = append(words, fmt.Sprintf("from %s to %s", part.From.Round(time.Millisecond), to))
	}
	return strings.Join(words, ", ")
}
