package act

import (
	"errors"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// CreationError is that a pod could not be created.
type CreationError struct {
	// Node is where it was to run.
	Node  string
	cause error
}

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

// RefusedNodes returns the nodes for which no pod could be created; err may join any number of errors.
func RefusedNodes(err error) []string {
	var nodes []string
	collect(err, func(creation *CreationError) { nodes = append(nodes, creation.Node) })
	return nodes
}

// collect calls found for every error of a kind that err is, or joins.
func collect[T error](err error, found func(T)) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			collect(e, found)
		}
		return
	}
	var one T
	if errors.As(err, &one) {
		found(one)
	}
}
