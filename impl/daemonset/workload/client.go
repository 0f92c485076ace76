package workload

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// translator is a client that reads the API's objects as DaemonSets and writes in the API's terms. It writes no DaemonSet but its status.
type translator struct {
	client.Client
	reader reader
}

// Get implements client.Reader.
func (t *translator) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	return t.reader.Get(ctx, key, into, options...)
}

// List implements client.Reader.
func (t *translator) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	return t.reader.List(ctx, into, options...)
}

// Create implements client.Writer.
func (t *translator) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	t.reader.api.relabel(object)
	defer t.reader.api.relabel(object)
	return t.Client.Create(ctx, object, options...)
}

// Update implements client.Writer.
func (t *translator) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	t.reader.api.relabel(object)
	defer t.reader.api.relabel(object)
	return t.Client.Update(ctx, object, options...)
}

// Patch implements client.Writer.
func (t *translator) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	data, err := patch.Data(object)
	if err == nil {
		data, err = t.reader.api.relabelPatch(data)
	}
	if err != nil {
		return fmt.Errorf("translate a patch of %T %s/%s: %w", object, object.GetNamespace(), object.GetName(), err)
	}
	t.reader.api.relabel(object)
	defer t.reader.api.relabel(object)
	return t.Client.Patch(ctx, object, client.RawPatch(patch.Type(), data), options...)
}

// Status implements client.StatusClient.
func (t *translator) Status() client.SubResourceWriter {
	return &statusWriter{SubResourceWriter: t.Client.Status(), api: t.reader.api}
}

// statusWriter writes the status of a DaemonSet to the object that it really is.
type statusWriter struct {
	client.SubResourceWriter
	api *API
}

// Update implements client.SubResourceWriter.
func (w *statusWriter) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	ds, ok := object.(*appsv1.DaemonSet)
	if !ok {
		return w.SubResourceWriter.Update(ctx, object, options...)
	}
	own := w.api.FromDaemonSet(ds)
	if err := w.SubResourceWriter.Update(ctx, own, options...); err != nil {
		return err
	}
	*ds = *w.api.toDaemonSet(own)
	return nil
}
