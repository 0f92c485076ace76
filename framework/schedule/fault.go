package schedule

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What may happen to a write of the controller, on a real control plane.
const (
	LoseAnswer  = "lose the answer"
	Conflict    = "answer 409"
	Throttle    = "answer 429"
	ServerError = "answer 500"
	TimeOut     = "answer 504"
	KillAfter   = "kill the controller after it"
)

// FaultKinds are all that may happen to a write with that verb: what is no lawful answer to it is left out.
func FaultKinds(verb string) []string {
	all := []string{KillAfter, LoseAnswer, ServerError, Conflict, TimeOut, Throttle}
	return slices.DeleteFunc(all, func(name string) bool { return name == Conflict && verb == "create" })
}

// MayFail reports whether writes with that verb may meet faults.
func MayFail(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete"}, verb)
}

// Fault is what happens to one write of the controller.
type Fault struct {
	// Verb and Resource are the write's, such as "create" and "pods", or "update" and "daemonsets/status".
	Verb, Resource string
	// Number counts such writes from 1, since the schedule began.
	Number int
	// Kind is one of FaultKinds.
	Kind string
}

// String is the fault as a line of the text.
func (f Fault) String() string {
	return fmt.Sprintf("fault at %s %s %d: %s", f.Verb, f.Resource, f.Number, f.Kind)
}

var faultForm = regexp.MustCompile(`^fault at (create|update|patch|delete) ([a-z]+(?:/[a-z]+)?) (\d+): (.+)$`)

func parseFault(line string) (Fault, error) {
	parts := faultForm.FindStringSubmatch(line)
	if parts == nil {
		return Fault{}, fmt.Errorf("%q: want such as %q", line, Fault{Verb: "create", Resource: "pods", Number: 1, Kind: LoseAnswer})
	}
	fault := Fault{Verb: parts[1], Resource: parts[2], Kind: parts[4]}
	number, err := strconv.Atoi(parts[3])
	if err != nil || number < 1 {
		return Fault{}, fmt.Errorf("%q: want the number of a write, the first of which is 1", parts[3])
	}
	fault.Number = number
	if known := FaultKinds(fault.Verb); !slices.Contains(known, fault.Kind) {
		return Fault{}, fmt.Errorf("fault %q: at %s there are %s", fault.Kind, fault.Verb, strings.Join(known, "; "))
	}
	return fault, nil
}
