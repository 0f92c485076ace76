package relay

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// told is what the watches that are under way have delivered to the client. The zero value is nothing.
type told struct {
	mu sync.Mutex
	// latest is the latest version of each object, by the watch that has delivered it.
	latest map[*toldBody]map[types.UID]string
	// more is closed when latest changes; nil until somebody waits.
	more chan struct{}
}

// begin begins what the watch delivers, end ends it: whoever watched may be another by now.
func (t *told) begin(watch *toldBody) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.latest == nil {
		t.latest = map[*toldBody]map[types.UID]string{}
	}
	t.latest[watch] = map[types.UID]string{}
}

func (t *told) end(watch *toldBody) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.latest, watch)
}

// note notes that the watch has delivered an object, unless it has ended.
func (t *told) note(watch *toldBody, object *metav1.PartialObjectMetadata) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if versions := t.latest[watch]; versions != nil {
		versions[object.UID] = object.ResourceVersion
	}
	if t.more != nil {
		close(t.more)
		t.more = nil
	}
}

// await returns once the object has been delivered in a later version than after.
func (t *told) await(ctx context.Context, uid types.UID, after string) error {
	for {
		more, err := t.unless(uid, after)
		if more == nil {
			return err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("wait until a watch has delivered %s after resourceVersion %q: %w", uid, after, context.Cause(ctx))
		}
	}
}

// unless returns what is closed when more has been delivered, unless the object has been in a later version than after.
func (t *told) unless(uid types.UID, after string) (<-chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, versions := range t.latest {
		latest, known := versions[uid]
		if known && after == "" {
			return nil, nil
		}
		if known {
			if order, err := resourceversion.CompareResourceVersion(latest, after); err != nil || order > 0 {
				return nil, err
			}
		}
	}
	if t.more == nil {
		t.more = make(chan struct{})
	}
	return t.more, nil
}
