package historytest

import "github.com/rollcall-conformance/rollcall/framework/history"

// By says who made the newest event, in a history whose authors are from an audit log.
func (b *Builder) By(who history.Who, verb string) *Builder {
	b.h.Authors = history.AuthorsFromAuditLog
	b.h.Entries[len(b.h.Entries)-1].Author = &history.Author{Who: who, User: "user of " + string(who), Verb: verb, Code: 200}
	return b
}
