package scenario

import (
	"context"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Authors finds who made the changes that a recording shows; audit.Authors does.
type Authors interface {
	// Begin returns the position from which on the changes of a recording that begins now are known.
	Begin(ctx context.Context) (int64, error)
	// Of returns the authors of a history that has ended, and whose recording began at the position, and what the implementation was refused meanwhile.
	Of(ctx context.Context, h *history.History, position int64) (history.Attribution, error)
}

// attribute finds the authors of the closed recording, and what the implementation was refused, and adds them to it and to the history that was read from it.
func (s *Scenario) attribute(ctx context.Context, h *history.History) error {
	if s.env.Authors == nil {
		return nil
	}
	found, err := s.env.Authors.Of(ctx, h, s.authorsFrom)
	if err != nil {
		return err
	}
	return h.AppendAuthors(s.path, history.AuthorsFromAuditLog, found)
}
