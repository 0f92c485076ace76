package matchers

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

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
		versions, since, last := map[uint64]history.Entry{}, map[uint64]time.Time{}, map[types.UID]history.Entry{}
		for _, entry := range s.h.Entries {
			if entry.Object != nil && entry.Kind == kind {
				before := last[entry.Object.GetUID()]
				versions[entry.ResourceVersion], last[entry.Object.GetUID()] = entry, entry
				// Another change of the object makes no news of its status.
				if since[entry.ResourceVersion] = entry.Time; before.Object != nil && equality.Semantic.DeepEqual(statusOf(before.Object), statusOf(entry.Object)) {
					since[entry.ResourceVersion] = since[before.ResourceVersion]
				}
				wrote = wrote || entry.Author != nil && byThem(*entry.Author)
			}
		}
		var violations []judge.Violation
		for _, idle := range s.h.Idle {
			if entry, ok := versions[idle.ResourceVersion]; ok && byThem(idle.Author) && !idle.Again.Before(s.h.Due(since[idle.ResourceVersion], judge.Lag)) && idle.Again.After(from) {
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

// statusOf is the status of the object, nil of another kind.
func statusOf(object any) any {
	switch object := object.(type) {
	case *appsv1.DaemonSet:
		return object.Status
	case *policyv1.PodDisruptionBudget:
		return object.Status
	}
	return nil
}
