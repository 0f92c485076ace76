package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Late is what the controller hears late of from the beginning of the schedule until everything is calm again, on a real control plane.
type Late struct {
	// By is how much later than others the controller hears of each change; zero for no later.
	By time.Duration
	// Resources are those whose watches are late, of LateResources.
	Resources []string
}

// LateBy is how late watches are in a schedule that is made to find who depends on hearing of one resource before another: well within the time that every
// controller has to hear of things (judge.Lag), so that nothing is owed to it for that.
const LateBy = 500 * time.Millisecond

// longestLate is the longest that a watch may be late in a schedule.
const longestLate = 10 * time.Second

// LateResources are those that a controller of DaemonSets watches.
func LateResources() []string { return []string{"controllerrevisions", "daemonsets", "nodes", "pods"} }

// String is it as a line of the text; empty if nothing is late.
func (l Late) String() string {
	if l.By == 0 {
		return ""
	}
	return fmt.Sprintf("late %s: %s", l.By, strings.Join(l.Resources, ", "))
}

func parseLate(line string) (Late, error) {
	by, resources, found := strings.Cut(strings.TrimPrefix(line, "late "), ": ")
	if !found {
		return Late{}, fmt.Errorf("%q: want such as %q", line, Late{By: LateBy, Resources: []string{"pods"}})
	}
	late := Late{Resources: strings.Split(resources, ", ")}
	var err error
	if late.By, err = time.ParseDuration(by); err != nil || late.By <= 0 || late.By > longestLate {
		return Late{}, fmt.Errorf("%q: want a time of more than 0s, and at most %s", by, longestLate)
	}
	for _, resource := range late.Resources {
		if !slices.Contains(LateResources(), resource) {
			return Late{}, fmt.Errorf("late %q: there are %s", resource, strings.Join(LateResources(), ", "))
		}
	}
	return late, nil
}
