package workload

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader reads the API's objects as DaemonSets.
type reader struct {
	client.Reader
	api *API
}

// Get implements client.Reader.
func (r *reader) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	ds, ok := into.(*appsv1.DaemonSet)
	if !ok {
		err := r.Reader.Get(ctx, key, into, options...)
		r.api.relabel(into)
		return err
	}
	object := r.api.New()
	if err := r.Reader.Get(ctx, key, object, options...); err != nil {
		return err
	}
	*ds = *r.api.toDaemonSet(object)
	return nil
}

// List implements client.Reader.
func (r *reader) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	list, ok := into.(*appsv1.DaemonSetList)
	if !ok {
		err := r.Reader.List(ctx, into, options...)
		r.api.relabelAll(into)
		return err
	}
	objects := r.api.NewList()
	if err := r.Reader.List(ctx, objects, options...); err != nil {
		return err
	}
	list.ListMeta.ResourceVersion, list.Items = objects.GetResourceVersion(), nil
	return meta.EachListItem(objects, func(object runtime.Object) error {
		list.Items = append(list.Items, *r.api.toDaemonSet(object.(client.Object)))
		return nil
	})
}

// relabelAll is relabel for what a list holds.
func (a *API) relabelAll(list client.ObjectList) {
	switch list := list.(type) {
	case *corev1.PodList:
		for i := range list.Items {
			a.relabel(&list.Items[i])
		}
	case *appsv1.ControllerRevisionList:
		for i := range list.Items {
			a.relabel(&list.Items[i])
		}
	}
}
