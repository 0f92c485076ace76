package spec

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/redact"
)

// What is kept of the implementation's log beside a violation: lines of so long before it and after it, the nearest so many, beside so many violations.
const (
	besideBefore = 3 * time.Second
	besideAfter  = time.Second
	linesBefore  = 6
	linesAfter   = 3
	besidesKept  = 8
)

// LogAsked is how many of the implementation's last lines are looked through for those beside a violation.
const LogAsked = 4000

// healthOf keeps of the lines of the implementation's log the last ones, and those beside the violations. Others may read them: they name none of the folders.
func healthOf(folders redact.Folders, ended string, lines []string, violations []judge.Violation, start time.Time) history.Health {
	ended, lines = folders.Text(ended), folders.Texts(lines)
	var moments []time.Time
	for _, violation := range violations {
		if !violation.Time.IsZero() && !slices.ContainsFunc(moments, violation.Time.Equal) && len(moments) < besidesKept {
			moments = append(moments, violation.Time)
		}
	}
	return history.Health{Ended: ended, Log: lines[max(0, len(lines)-LogLines):], Beside: beside(lines, moments, start)}
}

// scenarioName is a name of a scenario in a line: see name.
var scenarioName = regexp.MustCompile(`\b[a-z]+-\d{3}-[0-9a-f]{8}`)

// withoutOthers leaves out the lines that name scenarios, and not this one.
func withoutOthers(lines []string, scenario string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		named := scenarioName.FindAllString(line, -1)
		return len(named) > 0 && !slices.ContainsFunc(named, func(name string) bool { return strings.HasPrefix(scenario, name) })
	})
}

// beside returns the lines printed around the moments, in order, with when that was since the start. A line without a time is of that of the line before it.
func beside(lines []string, moments []time.Time, start time.Time) []history.LogLine {
	type printed struct {
		line int
		at   time.Time
	}
	var dated []printed
	for i, line := range lines {
		at, ok := printedAt(line, start)
		if !ok && len(dated) > 0 {
			at, ok = dated[len(dated)-1].at, true
		}
		if ok {
			dated = append(dated, printed{i, at})
		}
	}
	kept := map[int]bool{}
	for _, moment := range moments {
		before, after := 0, 0
		for _, p := range slices.Backward(dated) {
			if !p.at.After(moment) && p.at.After(moment.Add(-besideBefore)) && before < linesBefore {
				kept[p.line] = true
				before++
			}
		}
		for _, p := range dated {
			if p.at.After(moment) && p.at.Before(moment.Add(besideAfter)) && after < linesAfter {
				kept[p.line] = true
				after++
			}
		}
	}
	var found []history.LogLine
	for _, p := range dated {
		if kept[p.line] {
			found = append(found, history.LogLine{At: p.at.Sub(start), Text: lines[p.line]})
		}
	}
	return found
}

var (
	klogTime  = regexp.MustCompile(`^[IWEF](\d{4} \d\d:\d\d:\d\d\.\d{6}) `)
	rfc3339   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	goLogTime = regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)?`)
	epochTime = regexp.MustCompile(`"(?:ts|time)":\s*(\d{10}(?:\.\d+)?)\b`)
)

// printedAt is when the line says that it was printed: in klog's way, in that of Go's log, by a time of RFC 3339, or in JSON by seconds since 1970. Times
// without a zone or a year are those nearest to the start.
func printedAt(line string, start time.Time) (time.Time, bool) {
	const aDay = 24 * time.Hour
	if found := klogTime.FindStringSubmatch(line); found != nil {
		return local("2006 0102 15:04:05.999999", strconv.Itoa(start.Year())+" "+found[1], start)
	}
	if found := goLogTime.FindString(line); found != "" {
		return local("2006/01/02 15:04:05.999999999", found, start)
	}
	if found := rfc3339.FindString(line); found != "" {
		at, err := time.Parse(time.RFC3339Nano, found)
		return at, err == nil && at.Sub(start).Abs() < aDay
	}
	if found := epochTime.FindStringSubmatch(line); found != nil {
		seconds, err := strconv.ParseFloat(found[1], 64)
		return time.UnixMicro(int64(seconds * 1e6)), err == nil
	}
	return time.Time{}, false
}

// local reads a time without a zone: of this machine's or, in a container, of none.
func local(layout, text string, start time.Time) (time.Time, bool) {
	here, err := time.ParseInLocation(layout, text, time.Local)
	if err != nil {
		return time.Time{}, false
	}
	if utc, err := time.Parse(layout, text); err == nil && utc.Sub(start).Abs() < here.Sub(start).Abs() {
		return utc, true
	}
	return here, true
}
