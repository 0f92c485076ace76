package matchers

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// NoEqualStatus asks that the implementation writes no DaemonSet status that equals the one that is stored and that it must know. Such a write changes nothing,
// so the audit log alone tells of it; where there is none, and where the implementation wrote no status at all, it is not tested.
func NoEqualStatus() Matcher {
	return noEqualStatus("writes no status that equals the stored one", history.KindDaemonSet, writesStatus, nil)
}

// writesStatus reports whether the request is a status write of the implementation.
func writesStatus(author history.Author) bool {
	return author.Who == history.Implementation && author.Subresource == "status"
}

// noEqualStatus asks that they write no status of an object of the kind that equals the one that is stored and that they must know, after the marker if there
// is one.
func noEqualStatus(promise string, kind history.Kind, byThem func(history.Author) bool, marker *Event) Matcher {
	var bounds []Event
	if marker != nil {
		bounds = append(bounds, *marker)
	}
	return question{promise: promise, bounds: bounds, ask: func(s *Survey, _ string) Answer {
		var from time.Time
		if marker != nil {
			begun := marker.find(s)
			if len(begun) == 0 {
				return untested("no %s", *marker)
			}
			from = begun[0].At
		}
		if s.h.Authors != history.AuthorsFromAuditLog {
			return untested("a write that changes nothing shows in the audit log alone, and there is none")
		}
		wrote := false
		versions := map[uint64]history.Entry{}
		for _, entry := range s.h.Entries {
			if entry.Object != nil && entry.Kind == kind {
				versions[entry.ResourceVersion] = entry
				wrote = wrote || entry.Author != nil && byThem(*entry.Author)
			}
		}
		var violations []judge.Violation
		for _, idle := range s.h.Idle {
			if entry, ok := versions[idle.ResourceVersion]; ok && byThem(idle.Author) && !idle.Again.Before(s.h.Due(entry.Time, judge.Lag)) && idle.Again.After(from) {
				violations = append(violations, judge.Violation{
					Got:             fmt.Sprintf("the status of %s %s written again as it was", kind, entry.Object.GetName()),
					ResourceVersion: entry.ResourceVersion, Time: entry.Time, Window: []history.Entry{entry},
				})
			}
		}
		switch {
		case len(violations) > 0:
			violations[0].Got += fmt.Sprintf(", and so %d times in all", len(violations))
			return Answer{Violations: violations[:1]}
		case !wrote:
			return untested("the implementation wrote no status")
		}
		return kept()
	}}
}
