package variants

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lawfulLinks are far from the API server: the state may have changed when a write arrives.
func lawfulLinks() []Variant {
	const half = 500 * time.Millisecond
	return []Variant{
		{Name: "sends-half-a-second-late", Says: "Sends every write half a second after it was decided, and deletes pods whatever their resourceVersion.",
			Lawful: "What changed less than a second before an act need not have been known.",
			Writer: func(c client.Client) client.Client { return distant{uidDeleter{c}, half} }},
	}
}

// distant sends every write late.
type distant struct {
	client.Client
	by time.Duration
}

// wait returns an error if the context ends first.
func (d distant) wait(ctx context.Context) error {
	select {
	case <-time.After(d.by):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("send late: %w", ctx.Err())
	}
}

// Create implements client.Client.
func (d distant) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	return d.Client.Create(ctx, object, options...)
}

// Delete implements client.Client.
func (d distant) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	return d.Client.Delete(ctx, object, options...)
}

// Update implements client.Client.
func (d distant) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	return d.Client.Update(ctx, object, options...)
}

// Patch implements client.Client.
func (d distant) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	if err := d.wait(ctx); err != nil {
		return err
	}
	return d.Client.Patch(ctx, object, patch, options...)
}

// Status implements client.Client.
func (d distant) Status() client.SubResourceWriter {
	return distantStatus{d.Client.Status(), d}
}

type distantStatus struct {
	client.SubResourceWriter
	distant distant
}

// Update implements client.SubResourceWriter.
func (d distantStatus) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	if err := d.distant.wait(ctx); err != nil {
		return err
	}
	return d.SubResourceWriter.Update(ctx, object, options...)
}
