package act

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// DeletionError is that a pod could not be deleted, though it is there as it was seen.
type DeletionError struct {
	// Node is where it runs.
	Node  string
	cause error
}

func (e *DeletionError) Error() string { return e.cause.Error() }
func (e *DeletionError) Unwrap() error { return e.cause }

// KeptPods returns the API server's words about the pods that it refused to delete, by node; err may join any number of errors.
func KeptPods(err error) map[string]string {
	found := map[string]string{}
	collect(err, func(deletion *DeletionError) {
		if answer := apierrors.APIStatus(nil); errors.As(deletion.cause, &answer) {
			found[deletion.Node] = answer.Status().Message
		}
	})
	return found
}
