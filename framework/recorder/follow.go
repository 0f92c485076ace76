package recorder

import (
	"context"
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// follow records the source's events until the recording ends. Where the watch cannot be resumed it records a gap and begins again.
func (r *Recorder) follow(ctx context.Context, source Source, events <-chan watch.Event) {
	for {
		reason := r.drain(source, events)
		if ctx.Err() != nil {
			return
		}
		version, err := r.bridge(ctx, source, reason)
		if err == nil {
			events, err = source.watch(ctx, version)
		}
		if err != nil {
			r.fail(fmt.Errorf("watch %s again after a gap (%s): %w", source.name(), reason, err))
			return
		}
	}
}

// drain records events until the watch ends, and returns why it did.
func (r *Recorder) drain(source Source, events <-chan watch.Event) string {
	for event := range events {
		switch event.Type {
		case watch.Added, watch.Modified, watch.Deleted:
			if err := r.record(source, event.Type, event.Object); err != nil {
				r.fail(err)
				return err.Error()
			}
		case watch.Error:
			return apierrors.FromObject(event.Object).Error()
		}
	}
	return "the watch ended"
}

func (r *Recorder) record(source Source, event watch.EventType, recorded runtime.Object) error {
	object, ok := recorded.(history.Object)
	if !ok {
		return fmt.Errorf("record %s: got a %T", source.name(), recorded)
	}
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	if err != nil {
		return fmt.Errorf("record %s %s: resourceVersion: %w", source.name(), object.GetName(), err)
	}
	trim(object)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed[source.name()] = max(r.passed[source.name()], version)
	return r.append(history.Entry{ResourceVersion: version, Type: event, Kind: source.Kind, Object: object})
}

// list records what exists already and returns the version from which to watch.
func (r *Recorder) list(ctx context.Context, source Source) (string, error) {
	objects, version, err := source.list(ctx)
	if err != nil {
		return "", err
	}
	for _, object := range objects {
		if err := r.record(source, watch.Added, object); err != nil {
			return "", err
		}
	}
	return version, nil
}

// bridge marks a gap and records the state after it, so that waiting goes on; judging across it does not.
func (r *Recorder) bridge(ctx context.Context, source Source, reason string) (string, error) {
	r.mu.Lock()
	err := r.writer.Gap(history.Gap{Kind: source.Kind, After: r.passed[source.name()], Time: time.Now(), Reason: reason})
	r.mu.Unlock()
	if err != nil {
		return "", err
	}
	return r.list(ctx, source)
}

func (r *Recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
		close(r.changed)
		r.changed = make(chan struct{})
	}
}

// list reads the source consistently: a quorum read, not a cached one.
func (s Source) list(ctx context.Context) ([]history.Object, string, error) {
	list, err := s.ListerWatcher.ListWithContext(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", s.name(), err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", s.name(), err)
	}
	objects := make([]history.Object, 0, len(items))
	for _, item := range items {
		object, ok := item.(history.Object)
		if !ok {
			return nil, "", fmt.Errorf("list %s: got a %T", s.name(), item)
		}
		objects = append(objects, object)
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, "", fmt.Errorf("list %s: %w", s.name(), err)
	}
	return objects, accessor.GetResourceVersion(), nil
}
