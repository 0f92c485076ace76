package scenario

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/lever"
)

// EditOf is one change to an object, with the words in which the recording tells it.
type EditOf[T any] struct {
	// Says what the edit does, for example "maxSurge 25%".
	Says string
	// Apply does it.
	Apply func(*T)
}

// apply makes all the edits.
func apply[T any](edits []EditOf[T]) func(*T) {
	return func(object *T) {
		for _, edit := range edits {
			edit.Apply(object)
		}
	}
}

// words are those of all the edits.
func words[T any](edits []EditOf[T]) string {
	said := make([]string, len(edits))
	for i, edit := range edits {
		said[i] = edit.Says
	}
	return strings.Join(said, ", ")
}

// getter reads an object, sender writes it, as clients of client-go do.
type (
	getter[T any] interface {
		Get(context.Context, string, metav1.GetOptions) (*T, error)
	}
	sender[T any] func(context.Context, *T, metav1.UpdateOptions) (*T, error)
)

// rewrite changes the object that the stimulus names and returns what the API server stored, or its refusal. A conflict with another writer is tried again.
func rewrite[T any](ctx context.Context, s *Scenario, stimulus history.Stimulus, from getter[T], change func(*T), send sender[T]) (stored *T, err error) {
	err = s.Do(ctx, stimulus, func(ctx context.Context) error {
		return lever.OnConflict(func() error {
			current, err := from.Get(ctx, stimulus.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			change(current)
			stored, err = send(ctx, current, metav1.UpdateOptions{})
			return err
		})
	})
	return stored, err
}

// edited is the stimulus with the words of the edits.
func edited[T any](stimulus history.Stimulus, edits []EditOf[T]) history.Stimulus {
	stimulus.Detail = words(edits)
	return stimulus
}

// shows reports whether the object is now as it was stored, or later.
func shows(now, stored metav1.Object) bool {
	order, err := resourceversion.CompareResourceVersion(now.GetResourceVersion(), stored.GetResourceVersion())
	return err == nil && order >= 0
}
