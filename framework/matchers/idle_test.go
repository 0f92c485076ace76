package matchers_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// TestNoEqualStatus has the status written once so that it changes something, and then as each case says.
func TestNoEqualStatus(t *testing.T) {
	mine := history.Author{Who: history.Implementation, Verb: "update", Subresource: "status", Code: 200}
	for name, tt := range map[string]struct {
		source history.Authors
		idle   []history.Author
		after  time.Duration
		kept   bool
	}{
		"not again":        {history.AuthorsFromAuditLog, nil, 0, true},
		"again, as it was": {history.AuthorsFromAuditLog, []history.Author{mine}, judge.Lag, false},
		"again, as it was, before it must know it": {history.AuthorsFromAuditLog, []history.Author{mine}, judge.Lag / 2, true},
		"again, by somebody else":                  {history.AuthorsFromAuditLog, []history.Author{{Who: history.Harness, Subresource: "status"}}, judge.Lag, true},
		"the spec again, as it was":                {history.AuthorsFromAuditLog, []history.Author{{Who: history.Implementation, Verb: "update"}}, judge.Lag, true},
		"nobody knows who wrote":                   {history.AuthorsInferred, nil, 0, false},
		"nobody knows who wrote it again":          {history.AuthorsInferred, []history.Author{mine}, judge.Lag, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t)
			ds := b.Nodes(1).DaemonSet("agent")
			ds.Counts(1, 0, 0, 0, 0)
			h := b.History()
			uid, again := ds.Object().UID, b.Now().Add(tt.after)
			authorships := []history.Authorship{{ResourceVersion: b.Version(), UID: uid, Author: mine}}
			for _, author := range tt.idle {
				authorships = append(authorships, history.Authorship{ResourceVersion: b.Version(), UID: uid, Author: author, Again: &again})
			}
			h.Attribute(tt.source, authorships)
			if tt.kept {
				NewWithT(t).Expect(h).To(NoEqualStatus())
			} else {
				NewWithT(t).Expect(h).NotTo(NoEqualStatus())
			}
		})
	}
}

// TestAnotherChangeMakesNoNewsOfAStatus has the DaemonSet changed long after its status was, and the status written again at once.
func TestAnotherChangeMakesNoNewsOfAStatus(t *testing.T) {
	mine := history.Author{Who: history.Implementation, Verb: "update", Subresource: "status", Code: 200}
	b := New(t)
	ds := b.Nodes(1).DaemonSet("agent")
	ds.Counts(1, 0, 0, 0, 0)
	wrote := b.Version()
	b.After(3 * judge.Lag)
	ds.Set(func(d *appsv1.DaemonSet) { metav1.SetMetaDataAnnotation(&d.ObjectMeta, "note", "x") })
	h := b.History()
	again := b.Now().Add(judge.Lag / 2)
	h.Attribute(history.AuthorsFromAuditLog, []history.Authorship{
		{ResourceVersion: wrote, UID: ds.Object().UID, Author: mine}, {ResourceVersion: b.Version(), UID: ds.Object().UID, Author: mine, Again: &again},
	})
	NewWithT(t).Expect(h).NotTo(NoEqualStatus())
}
