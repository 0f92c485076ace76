package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// tableRows bounds the table of a story; the report holds the whole window.
const tableRows = 20

// eventTable writes a line per event of the window: its resourceVersion, when, and what happened. At most so many rows are written.
func eventTable(window []WindowEvent, rows int) string {
	var out strings.Builder
	first, last := tableRange(window, rows)
	versions := len("rv")
	for _, row := range window[first:last] {
		versions = max(versions, len(strconv.FormatUint(row.ResourceVersion, 10)))
	}
	fmt.Fprintf(&out, "    %*s  %9s  what happened\n", versions, "rv", "seconds")
	if first > 0 {
		fmt.Fprintf(&out, "    %*s  %9s  (%d earlier ones are in the report)\n", versions, "", "", first)
	}
	for _, row := range window[first:last] {
		mark := ' '
		if row.Broke {
			mark = '>'
		}
		label := fmt.Sprintf("  %c %*d  %+9.3f  ", mark, versions, row.ResourceVersion, row.Offset.Seconds())
		out.WriteString(paragraph.Hang(label, row.Event, len(label), storyWidth))
	}
	if last < len(window) {
		fmt.Fprintf(&out, "    %*s  %9s  (%d later ones are in the report)\n", versions, "", "", len(window)-last)
	}
	return out.String()
}

// tableRange keeps the rows that fit, the one that broke the promise among them and most of the others before it.
func tableRange(window []WindowEvent, rows int) (first, last int) {
	if len(window) <= rows {
		return 0, len(window)
	}
	broke := slices.IndexFunc(window, func(row WindowEvent) bool { return row.Broke })
	if broke < 0 {
		broke = len(window) - 1
	}
	last = min(len(window), max(broke+rows/4, rows))
	return last - rows, last
}
