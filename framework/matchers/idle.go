package matchers

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// NoEqualStatus asks that the implementation writes no DaemonSet status that equals the one that is stored and that it must know. Such a write changes nothing,
// so the audit log alone tells of it; where there is none, and where the implementation wrote no status at all, it is not tested.
func NoEqualStatus() Matcher {
	return question{promise: "writes no status that equals the stored one", ask: func(s *Survey, _ string) Answer {
		if s.h.Authors != history.AuthorsFromAuditLog {
			return untested("a write that changes nothing shows in the audit log alone, and there is none")
		}
		wrote := false
		versions := map[uint64]history.Entry{}
		for _, entry := range s.h.Entries {
			if _, ok := entry.Object.(*appsv1.DaemonSet); ok {
				versions[entry.ResourceVersion] = entry
				wrote = wrote || entry.Author != nil && writesStatus(*entry.Author)
			}
		}
		var violations []judge.Violation
		for _, idle := range s.h.Idle {
			if entry, ok := versions[idle.ResourceVersion]; ok && writesStatus(idle.Author) && !idle.Again.Before(s.h.Due(entry.Time, judge.Lag)) {
				violations = append(violations, judge.Violation{
					Got:             fmt.Sprintf("the status of DaemonSet %s written again as it was", entry.Object.GetName()),
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

// writesStatus reports whether the request is a status write of the implementation.
func writesStatus(author history.Author) bool {
	return author.Who == history.Implementation && author.Subresource == "status"
}
