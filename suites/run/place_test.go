package run

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/history"
)

// audited is a cluster with an audit log.
type audited struct {
	cluster.Cluster
	log audit.Log
}

func (a audited) AuditLog() audit.Log { return a.log }

func TestAuthorsAreKnownWhereTheClusterKeepsAnAuditLog(t *testing.T) {
	elsewhere := struct{ audit.Log }{}
	for name, row := range map[string]struct {
		cluster cluster.Cluster
		authors history.Authors
		folder  string
	}{
		"on this machine": {audited{log: audit.Folder("/logs")}, history.AuthorsFromAuditLog, "/logs"},
		"on another":      {audited{log: elsewhere}, history.AuthorsFromAuditLog, ""},
		"nowhere":         {struct{ cluster.Cluster }{}, history.AuthorsInferred, ""},
	} {
		t.Run(name, func(t *testing.T) {
			where := &place{Cluster: row.cluster}
			if where.authors() != row.authors || where.auditFolder() != row.folder {
				t.Errorf("authors %q in %q, want %q in %q", where.authors(), where.auditFolder(), row.authors, row.folder)
			}
		})
	}
}
