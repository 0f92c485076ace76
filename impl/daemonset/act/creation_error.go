package act

import (
	"errors"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// CreationError is that a pod could not be created.
type CreationError struct{ cause error }

func (e *CreationError) Error() string { return e.cause.Error() }
func (e *CreationError) Unwrap() error { return e.cause }

// generatedName is the part of an answer that differs from one attempt to the next.
var generatedName = regexp.MustCompile(`^pods "[^"]*" `)

// Refusal returns the API server's words about the first pod that it refused to create; empty if err holds no such refusal.
func Refusal(err error) string {
	var creation *CreationError
	var answer apierrors.APIStatus
	if !errors.As(err, &creation) || !errors.As(creation.cause, &answer) {
		return ""
	}
	return generatedName.ReplaceAllString(answer.Status().Message, "")
}
