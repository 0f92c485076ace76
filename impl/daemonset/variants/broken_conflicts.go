package variants

import (
	"context"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// brokenConflicts go wrong where somebody else has written meanwhile.
func brokenConflicts() []Variant {
	return []Variant{
		{Name: "takes-a-conflict-for-one-over-the-generation", Says: "Writes the numbers that a conflict kept it from writing as those of the generation that there is by then.",
			Breaks: []string{"STATUS-010"},
			Writer: func(c client.Client) client.Client { return latestGeneration{c, &conflicts{met: map[types.UID]bool{}}} }},
	}
}

// conflicts are the DaemonSets whose last status was refused for a conflict.
type conflicts struct {
	mu  sync.Mutex
	met map[types.UID]bool
}

func (c *conflicts) has(uid types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.met[uid]
}

func (c *conflicts) note(uid types.UID, met bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.met[uid] = met
}

// latestGeneration claims that a status which is written again after a conflict is of the generation that was read since.
type latestGeneration struct {
	client.Client
	conflicts *conflicts
}

func (c latestGeneration) Status() client.SubResourceWriter {
	return latestGenerationWriter{c.Client.Status(), c.conflicts}
}

type latestGenerationWriter struct {
	client.SubResourceWriter
	conflicts *conflicts
}

func (w latestGenerationWriter) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	ds, isDaemonSet := object.(*appsv1.DaemonSet)
	if !isDaemonSet {
		return w.SubResourceWriter.Update(ctx, object, options...)
	}
	if w.conflicts.has(ds.UID) {
		ds.Status.ObservedGeneration = ds.Generation
	}
	err := w.SubResourceWriter.Update(ctx, ds, options...)
	w.conflicts.note(ds.UID, apierrors.IsConflict(err))
	return err
}
