package observe

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
)

// Scale is the scale subresource of an object.
type Scale struct {
	// UID is the object's; empty if there is no such object.
	UID types.UID
	// Replicas is how many pods it should have.
	Replicas int32
	// Lacking says that its kind has no scale, or is no kind at all; empty if it has one. Nothing else is set then.
	Lacking string
}

// Scales reads the scale of the object that a pod names as its controller. An error may be another one, or none, the next time.
type Scales interface {
	Scale(ctx context.Context, namespace string, reference *metav1.OwnerReference) (Scale, error)
}

// NewScales returns Scales that ask the API server of config. mapper may cache, if it looks again for a kind that it does not know.
func NewScales(config *rest.Config, mapper meta.RESTMapper) (Scales, error) {
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for discovery: %w", err)
	}
	getter, err := scale.NewForConfig(rest.CopyConfig(config), mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(discoverer))
	if err != nil {
		return nil, fmt.Errorf("make a client for scales: %w", err)
	}
	return &liveScales{mapper: mapper, getter: getter, discoverer: discoverer}, nil
}

type liveScales struct {
	mapper     meta.RESTMapper
	getter     scale.ScalesGetter
	discoverer discovery.ServerResourcesInterface
}

// Scale implements Scales.
func (s *liveScales) Scale(ctx context.Context, namespace string, reference *metav1.OwnerReference) (Scale, error) {
	kind := schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind)
	mapping, err := s.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	switch {
	case meta.IsNoMatchError(err):
		return Scale{Lacking: fmt.Sprintf("%s of %s is no kind that the API server has", reference.Kind, reference.APIVersion)}, nil
	case err != nil:
		return Scale{}, err
	}
	resource := mapping.Resource.GroupResource()
	found, err := s.getter.Scales(namespace).Get(ctx, resource, reference.Name, metav1.GetOptions{})
	switch {
	case err == nil:
		return Scale{UID: found.UID, Replicas: found.Spec.Replicas}, nil
	case !apierrors.IsNotFound(err):
		return Scale{}, err
	}
	// Either the object is not found or its scale.
	has, err := s.hasScale(mapping.Resource)
	if err != nil || has {
		return Scale{}, err
	}
	return Scale{Lacking: resource.String() + " does not implement the scale subresource"}, nil
}

func (s *liveScales) hasScale(resource schema.GroupVersionResource) (bool, error) {
	list, err := s.discoverer.ServerResourcesForGroupVersion(resource.GroupVersion().String())
	if err != nil {
		return false, fmt.Errorf("ask for the resources of %s: %w", resource.GroupVersion(), err)
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource.Resource+"/scale" && r.Kind == "Scale" }), nil
}
