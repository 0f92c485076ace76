package implementation

import (
	"context"
	"errors"
	"net/url"
)

// Failure is an error that is the implementation's and not the harness's: it could not be built or started, stayed not ready, or ended by itself.
type Failure struct{ error }

// Failed makes a Failure of an error.
func Failed(err error) error { return Failure{err} }

// Unwrap returns what failed.
func (f Failure) Unwrap() error { return f.error }

// failure is the error as a Failure, unless there is none or the context ended, for which the implementation is not to blame.
func failure(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return Failure{err}
}

// refused is failure for an error of a request to the API server: one that brought no answer is the harness's.
func refused(ctx context.Context, err error) error {
	if errors.As(err, new(*url.Error)) {
		return err
	}
	return failure(ctx, err)
}
