package audit

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Refusals returns what the API server refused the implementation in a history's namespaces, and of cluster-scoped objects, in the order of the first
// answers. Refusals that differ by no more than a name or numbers are one. What a controller runs into whose cache is behind is left out: see expected.
func Refusals(h *history.History, records []Record, users Users) []history.Refusal {
	records = slices.Clone(records)
	slices.SortStableFunc(records, func(a, b Record) int { return a.Answered.Compare(b.Answered) })
	var all []history.Refusal
	places := map[history.Refusal]int{}
	var received [][]time.Time
	for _, record := range records {
		if record.Code < http.StatusBadRequest || record.expected() || !record.concerns(h, users) {
			continue
		}
		at := max(0, record.Answered.Sub(h.Start))
		refusal := history.Refusal{
			User: record.User, Verb: record.Verb, Group: record.Group, Resource: record.Resource, Subresource: record.Subresource,
			Namespace: record.Namespace, Code: record.Code, Reason: record.Reason, Message: alike(record.Message),
		}
		place, known := places[refusal]
		if !known {
			place = len(all)
			places[refusal] = place
			refusal.First, refusal.Name, refusal.Message = at, record.Name, record.Message
			all, received = append(all, refusal), append(received, nil)
		}
		all[place].Last = at
		all[place].Count++
		received[place] = append(received[place], record.Received)
	}
	for place := range all {
		all[place].Burst = burst(received[place])
	}
	return all
}

// concerns reports whether it is a request of the implementation in the history's namespaces, or about a cluster-scoped object.
func (r Record) concerns(h *history.History, users Users) bool {
	return users.Who(r.User) == history.Implementation && (r.Namespace == "" || slices.Contains(h.Namespaces, r.Namespace))
}

// burst is the largest number of the instants that are within history.RefusalBurst.
func burst(instants []time.Time) int {
	slices.SortFunc(instants, time.Time.Compare)
	most, first := 0, 0
	for last := range instants {
		for instants[last].Sub(instants[first]) > history.RefusalBurst {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}

// expected reports whether the refusal is one that controllers answer by looking again: the object has changed or gone since, or the ControllerRevision
// is there already.
func (r Record) expected() bool {
	switch metav1.StatusReason(r.Reason) {
	case metav1.StatusReasonConflict:
		return true
	case metav1.StatusReasonNotFound:
		return r.Verb != "create" || r.Subresource != ""
	case metav1.StatusReasonAlreadyExists:
		return r.Resource == "controllerrevisions"
	}
	return false
}

var (
	objectName = regexp.MustCompile(`^\S+ "([^"]*)"`)
	number     = regexp.MustCompile(`\d+`)
)

// alike is the message without what differs between two refusals of the same kind: the object's name, which a policy's words may repeat, and numbers.
func alike(message string) string {
	if named := objectName.FindStringSubmatch(message); named != nil && named[1] != "" {
		message = strings.ReplaceAll(strings.TrimPrefix(message, named[0]), named[1], "")
	}
	return number.ReplaceAllString(message, "#")
}
