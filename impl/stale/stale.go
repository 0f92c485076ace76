// Package stale tells views that were behind from failures: of writes that were refused because something had changed since the plan was made, and of
// objects in caches.
package stale

import (
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// ErrView is matched by errors that only say that the plan was made on something that has changed since. It is no failure: plan again when the cache has caught up.
var ErrView = errors.New("the plan is based on an outdated view")

// Because returns the error of a write that failed for that reason. It matches cause, too.
func Because(cause error) error { return &viewError{cause} }

type viewError struct{ cause error }

func (e *viewError) Error() string        { return fmt.Sprintf("%v: %v", ErrView, e.cause) }
func (e *viewError) Unwrap() error        { return e.cause }
func (e *viewError) Is(target error) bool { return target == ErrView }

// Refused reports whether the API server refused a write because the object is gone, or is not as it was seen.
func Refused(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }

// Only reports whether err is nothing but outdated views, however many writes met one.
func Only(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return !Only(e) })
	}
	return errors.Is(err, ErrView)
}

// Older reports whether resourceVersion a is older than b. An API server whose versions cannot be compared gets the benefit of the doubt:
// waiting for it would be for ever.
func Older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
