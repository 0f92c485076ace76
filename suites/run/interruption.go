package run

import (
	"context"
	"errors"
	"fmt"
)

// interruption is the error of what ended because the user ended the command.
type interruption struct{ error }

// Unwrap returns what the signal ended.
func (i interruption) Unwrap() error { return i.error }

// interrupted is the error as an interruption if the context of the command has ended; other errors, and no error, it returns as they are.
func interrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.As(err, new(interruption)) {
		return err
	}
	return interruption{fmt.Errorf("interrupted: %w", err)}
}
