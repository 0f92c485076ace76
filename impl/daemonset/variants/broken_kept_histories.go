package variants

import (
	"context"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// brokenKeptHistories do not get on with histories that the API server does not delete.
func brokenKeptHistories() []Variant {
	return []Variant{
		{Name: "deletes-histories-before-pods", Says: "Creates and deletes no pod before the histories beyond the limit are gone.",
			Breaks: []string{"HISTORY-029"}, Writer: func(c client.Client) client.Client { return &historiesFirst{Client: c} }},
		{Name: "tries-a-history-once", Says: "Does not try again to delete a history whose deletion was refused.",
			Breaks: []string{"HISTORY-029"},
			Writer: func(c client.Client) client.Client { return &onceForHistories{Client: c, tried: map[types.UID]bool{}} }},
	}
}

// historiesFirst writes no pod since a history could not be deleted, until the next can.
type historiesFirst struct {
	client.Client
	mu     sync.Mutex
	failed error
}

func (c *historiesFirst) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if err := c.before(object); err != nil {
		return err
	}
	return c.Client.Create(ctx, object, options...)
}

func (c *historiesFirst) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if err := c.before(object); err != nil {
		return err
	}
	err := c.Client.Delete(ctx, object, options...)
	if _, isHistory := object.(*appsv1.ControllerRevision); isHistory {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed = client.IgnoreNotFound(err)
	}
	return err
}

// before is what keeps the object from being written.
func (c *historiesFirst) before(object client.Object) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, isPod := object.(*corev1.Pod); isPod {
		return c.failed
	}
	return nil
}

// onceForHistories takes a history for deleted that it could not delete.
type onceForHistories struct {
	client.Client
	mu    sync.Mutex
	tried map[types.UID]bool
}

func (c *onceForHistories) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tried[object.GetUID()] {
		return nil
	}
	err := c.Client.Delete(ctx, object, options...)
	if _, isHistory := object.(*appsv1.ControllerRevision); isHistory && client.IgnoreNotFound(err) != nil {
		c.tried[object.GetUID()] = true
	}
	return err
}
